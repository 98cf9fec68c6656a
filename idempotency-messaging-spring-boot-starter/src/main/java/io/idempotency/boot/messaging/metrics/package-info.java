/** Micrometer meters for the events of messages. */
@NullMarked
package io.idempotency.boot.messaging.metrics;

import org.jspecify.annotations.NullMarked;
