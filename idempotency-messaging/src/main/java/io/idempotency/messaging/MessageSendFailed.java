package io.idempotency.messaging;

import java.util.UUID;

/**
 * The event that a message of the outbox could not be sent.
 *
 * @param messageId id of the message
 * @param topic topic of the message
 * @param type type of the message
 * @param attempt number of the attempt, from 1. If no message could be sent at all, the next attempt has the same
 *     number
 * @param dead whether the message is dead and not sent any more
 * @param failure exception of the attempt
 */
public record MessageSendFailed(
        UUID messageId, String topic, String type, int attempt, boolean dead, Throwable failure) {}
