/** Micrometer observations of calls and deliveries, for traces. */
@NullMarked
package io.idempotency.boot.tracing;

import org.jspecify.annotations.NullMarked;
