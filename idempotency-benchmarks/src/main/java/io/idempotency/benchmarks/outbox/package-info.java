/** The outbox: publishing and the relay. */
@NullMarked
package io.idempotency.benchmarks.outbox;

import org.jspecify.annotations.NullMarked;
