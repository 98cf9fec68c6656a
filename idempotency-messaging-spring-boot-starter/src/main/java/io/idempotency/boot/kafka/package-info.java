/** Sends the messages of the outbox to Kafka. */
@NullMarked
package io.idempotency.boot.kafka;

import org.jspecify.annotations.NullMarked;
