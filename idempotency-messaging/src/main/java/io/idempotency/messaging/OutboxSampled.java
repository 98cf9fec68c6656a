package io.idempotency.messaging;

import java.time.Duration;

/**
 * A sample of the outbox.
 *
 * @param pending number of messages that are not sent yet, counted up to 100,000
 * @param dead number of dead messages, counted up to 100,000
 * @param oldest time since the oldest pending message was due; zero if none is due. A lower bound if more than 100,000
 *     are pending
 */
public record OutboxSampled(int pending, int dead, Duration oldest) {}
