package io.idempotency.observation;

import java.time.Duration;
import java.util.UUID;

/**
 * A message of the outbox was sent, and that was committed. The same message may be sent again if the commit got lost.
 *
 * @param messageId the message
 * @param topic where it went
 * @param type what it told
 * @param attempt the number of the attempt that succeeded, from 1
 * @param latency the time from when it was to be sent, which is when it was published unless it said otherwise
 */
public record MessageSent(UUID messageId, String topic, String type, int attempt, Duration latency) {}
