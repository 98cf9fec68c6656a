/** Measures what this project costs, beside plain transactions and beside code written by hand. */
@NullMarked
package io.idempotency.benchmarks;

import org.jspecify.annotations.NullMarked;
