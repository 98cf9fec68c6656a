package io.idempotency.messaging;

import java.time.Duration;
import java.util.UUID;

/**
 * The event that a message of the outbox was sent and this was committed. The same message may be sent again if the
 * commit was lost.
 *
 * @param messageId id of the message
 * @param topic topic of the message
 * @param type type of the message
 * @param attempt number of the successful attempt, from 1
 * @param latency time since the message was due, which is the time of publishing or its not-before
 */
public record MessageSent(UUID messageId, String topic, String type, int attempt, Duration latency) {}
