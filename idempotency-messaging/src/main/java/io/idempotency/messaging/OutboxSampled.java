package io.idempotency.messaging;

import java.time.Duration;
import java.util.List;

/**
 * A sample of the outbox.
 *
 * @param pending number of messages that are not sent yet, counted up to 100,000
 * @param dead number of dead messages, counted up to 100,000
 * @param oldest time since the oldest pending message was due; zero if none is due. A lower bound if more than 100,000
 *     are pending
 * @param lateTopics topics of messages that have been due for more than a minute, at most ten, sorted
 */
public record OutboxSampled(int pending, int dead, Duration oldest, List<String> lateTopics) {

    /** Copies the topics. */
    public OutboxSampled {
        lateTopics = List.copyOf(lateTopics);
    }
}
