/** Calls with a key. */
@NullMarked
package io.idempotency.benchmarks.call;

import org.jspecify.annotations.NullMarked;
