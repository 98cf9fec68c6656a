package io.idempotency.internal.inbox;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.idempotency.internal.fingerprint.Fingerprint;

/**
 * A delivered message, with all that is computed once for each delivery.
 *
 * @param messageId the id, which is the same in all deliveries
 * @param payload the fingerprint that must be equal in all deliveries; {@code null} if payloads are not compared
 * @param type the type of the message, for operators; {@code null} if unknown
 * @param position the position in its stream; {@code null} if no order is kept
 * @param retention time for which the handled message is kept, from now
 */
public record InboxMessage(
        String consumer,
        String messageId,
        @Nullable Fingerprint payload,
        @Nullable String type,
        @Nullable StreamPosition position,
        Duration retention) {}
