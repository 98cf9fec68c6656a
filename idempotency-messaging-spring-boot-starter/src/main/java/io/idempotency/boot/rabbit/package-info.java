/** Sends the messages of the outbox to RabbitMQ. */
@NullMarked
package io.idempotency.boot.rabbit;

import org.jspecify.annotations.NullMarked;
