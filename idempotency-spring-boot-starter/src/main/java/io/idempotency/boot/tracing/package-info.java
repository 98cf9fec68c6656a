/** Calls and deliveries as Micrometer observations, for traces. */
@NullMarked
package io.idempotency.boot.tracing;

import org.jspecify.annotations.NullMarked;
