package io.idempotency.observation;

import java.util.UUID;

/**
 * A message of the outbox could not be sent.
 *
 * @param messageId the message
 * @param topic where it was to go
 * @param type what it was to tell
 * @param attempt the number of the attempt, from 1; the next one has the same if nothing at all could be sent
 * @param dead whether it is given up
 * @param failure why
 */
public record MessageSendFailed(
        UUID messageId, String topic, String type, int attempt, boolean dead, Throwable failure) {}
