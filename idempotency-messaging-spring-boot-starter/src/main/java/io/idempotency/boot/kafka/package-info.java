/** The sender of the outbox to Kafka, and the warning about Kafka transactions around idempotent receivers. */
@NullMarked
package io.idempotency.boot.kafka;

import org.jspecify.annotations.NullMarked;
