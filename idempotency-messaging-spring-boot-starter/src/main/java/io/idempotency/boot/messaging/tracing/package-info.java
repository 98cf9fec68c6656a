/** Micrometer observations of deliveries, and the headers by which a receiver continues a trace. */
@NullMarked
package io.idempotency.boot.messaging.tracing;

import org.jspecify.annotations.NullMarked;
