package io.idempotency.internal.outbox;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.idempotency.outbox.OutboxRecord;

/** The store of messages that wait to be sent. */
public interface OutboxStore {

    /** Records a message, unless its deduplication key was used before. */
    UUID record(Connection connection, NewMessage message);

    /**
     * Takes due messages, lets them be sent and stores the results, in one transaction of its own. No other relay takes a message of
     * the same lanes meanwhile. Messages of the same ordering key are taken in their order, without a gap.
     *
     * @param topics the topics whose messages are taken; {@code null} for all
     * @return the stored results; none if no message was due in a free lane
     * @throws org.springframework.dao.DataAccessException if PostgreSQL reports an error; the messages are sent again
     */
    SentBatch send(
            int limit,
            Duration bound,
            @Nullable Collection<String> topics,
            Function<List<DueMessage>, List<SendResult>> sending);

    /** Counts the messages that wait. */
    Backlog backlog(int limit);

    /**
     * A message that is due.
     *
     * @param waited the time since it was due first
     * @param problem what cannot be read of its row; {@code null} if it is whole
     */
    record DueMessage(
            OutboxRecord message, Duration waited, @Nullable String problem) {}

    /** A batch that was sent. */
    record SentBatch(List<SendResult> results, Instant at) {}

    /**
     * The backlog of the outbox.
     *
     * @param pending the number of messages that are not sent yet
     * @param oldest the time since the oldest pending message became due; zero if none is due
     * @param lateTopics the topics of messages that have been due for more than a minute, at most ten
     * @param topicsOfOthers the topics that belong to other applications, whose messages are not taken
     */
    record Backlog(int pending, int dead, Duration oldest, List<String> lateTopics, List<String> topicsOfOthers) {}
}
