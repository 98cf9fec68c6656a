package io.idempotency.internal.inbox;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.idempotency.internal.codec.Fingerprint;
import io.idempotency.internal.operation.StreamPosition;

/**
 * One delivery of a message, with everything that is computed once.
 *
 * @param consumer who receives
 * @param messageId the same through all deliveries
 * @param payload what must be equal when the id comes back; {@code null} if that is not compared
 * @param type of the message, for operators; {@code null} if not known
 * @param position in its stream; {@code null} if no order is kept
 * @param retention how long it is known that the message was handled, from now
 */
public record InboxMessage(
        String consumer,
        String messageId,
        @Nullable Fingerprint payload,
        @Nullable String type,
        @Nullable StreamPosition position,
        Duration retention) {}
