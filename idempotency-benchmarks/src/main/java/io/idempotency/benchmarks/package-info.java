/** Speed beside that of well-known libraries: each benchmark is a class with a main method. */
@NullMarked
package io.idempotency.benchmarks;

import org.jspecify.annotations.NullMarked;
