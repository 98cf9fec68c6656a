/** Batches of messages. */
@NullMarked
package io.idempotency.benchmarks.batch;

import org.jspecify.annotations.NullMarked;
