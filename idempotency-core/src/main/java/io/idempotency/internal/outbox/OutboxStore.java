package io.idempotency.internal.outbox;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;

import io.idempotency.outbox.OutboxRecord;

/** Where messages wait until they are sent. Internal: its shape follows from what is fast and may change. */
public interface OutboxStore {

    /**
     * Records a message, unless its deduplication key was used before.
     *
     * @param connection with an open transaction, which the message becomes part of
     * @param message what is to be sent
     * @return its id, or that of the earlier message with its deduplication key
     * @throws org.springframework.dao.DataAccessException if PostgreSQL reports anything else
     */
    UUID record(Connection connection, NewMessage message);

    /**
     * Takes messages that are due, lets them be sent, and keeps what became of them, in one transaction of its own. Nobody
     * else takes a message of the same lanes meanwhile. Where two messages have the same ordering key, the earlier one comes
     * first, and nothing of its key that was published before is missing.
     *
     * @param limit how many messages are wanted, roughly
     * @param bound how long the sending takes at most; the server ends the transaction of a relay that hangs for longer
     * @param sending sends them; gives those that were tried
     * @return what was kept; nothing if no message was due or free
     * @throws org.springframework.dao.DataAccessException if PostgreSQL reports anything; what was sent is sent again
     */
    SentBatch send(int limit, Duration bound, Function<List<OutboxRecord>, List<SendResult>> sending);

    /**
     * Looks at what waits.
     *
     * @param limit counts no further than that
     * @return the backlog
     */
    Backlog backlog(int limit);

    /**
     * What was kept of a batch.
     *
     * @param results of the messages that were tried
     * @param at when it was kept, in the database's time
     */
    record SentBatch(List<SendResult> results, Instant at) {}

    /**
     * What waits.
     *
     * @param pending messages that are not sent yet
     * @param dead messages that are given up
     * @param oldest how long the oldest pending message that is due has been so; zero if there is none
     */
    record Backlog(int pending, int dead, Duration oldest) {}
}
