package io.idempotency.observation;

import java.time.Duration;

/**
 * What waits in the outbox.
 *
 * @param pending messages that are not sent yet; of more than 100,000 no more are counted
 * @param dead messages that are given up; counted likewise
 * @param oldest how long the oldest pending message that is due has been so; zero if there is none. A lower bound if more
 *     than 100,000 are pending
 */
public record OutboxSampled(int pending, int dead, Duration oldest) {}
