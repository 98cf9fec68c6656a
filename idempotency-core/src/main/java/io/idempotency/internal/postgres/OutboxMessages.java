package io.idempotency.internal.postgres;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

import io.idempotency.DeadMessage;
import io.idempotency.InterventionRefusedException;
import io.idempotency.PendingMessage;
import io.idempotency.internal.postgres.jdbc.BoundedTransaction;
import io.idempotency.internal.postgres.jdbc.IntentColumns;
import io.idempotency.internal.postgres.jdbc.Schema;

/** What operators see of the table {@code outbox_event}, and what they may change. */
final class OutboxMessages {

    /** What a message waits for is looked up for those that are returned only, each by the index of the order. */
    private static final String FIND_PENDING = """
            select message_id, topic, message_type, ordering_key, attempt_count, last_error, idempotency_scope, caller,
                   idempotency_key, created_at, due_at, next_attempt_at, (
                select earlier.message_id
                from {schema}.outbox_event as earlier
                where earlier.status operator(pg_catalog.=) 'pending'
                    and earlier.ordering_key operator(pg_catalog.=) m.ordering_key
                    and earlier.sequence < m.sequence
                order by earlier.sequence
                limit 1)
            from (
                select *
                from {schema}.outbox_event
                where status operator(pg_catalog.=) 'pending'
                order by sequence
                limit ?) as m
            order by sequence""";

    private static final String FIND_DEAD = """
            select message_id, topic, message_type, ordering_key, attempt_count, last_error, idempotency_scope, caller,
                   idempotency_key, created_at
            from {schema}.outbox_event
            where status operator(pg_catalog.=) 'dead'
            order by sequence
            limit ?""";

    private static final String REQUEUE = """
            update {schema}.outbox_event
            set status = 'pending', attempt_count = 0, next_attempt_at = clock_timestamp()
            where message_id = ? and status operator(pg_catalog.=) 'dead'""";

    private static final String FIND_STATUS = """
            select status
            from {schema}.outbox_event
            where message_id = ?""";

    private final Schema schema;

    private final BoundedTransaction transaction;

    OutboxMessages(Schema schema, BoundedTransaction transaction) {
        this.schema = schema;
        this.transaction = transaction;
    }

    List<PendingMessage> findPending(int limit) {
        return transaction.query(jdbcClient -> jdbcClient
                .sql(schema.resolve(FIND_PENDING))
                .param(limit)
                .query((row, number) -> pending(row))
                .list());
    }

    List<DeadMessage> findDead(int limit) {
        return transaction.query(jdbcClient -> jdbcClient
                .sql(schema.resolve(FIND_DEAD))
                .param(limit)
                .query((row, number) -> dead(row))
                .list());
    }

    void requeue(UUID messageId) {
        int changed = transaction.change(jdbcClient ->
                jdbcClient.sql(schema.resolve(REQUEUE)).param(messageId).update());
        if (changed != 1) {
            Optional<String> status = transaction.query(jdbcClient -> jdbcClient
                    .sql(schema.resolve(FIND_STATUS))
                    .param(messageId)
                    .query(String.class)
                    .optional());
            throw new InterventionRefusedException(
                    "Cannot requeue the message " + messageId + ": "
                            + status.map("it is not dead but "::concat).orElse("there is no such message"),
                    status.isPresent());
        }
    }

    private static PendingMessage pending(ResultSet row) throws SQLException {
        return new PendingMessage(
                row.getObject(1, UUID.class),
                row.getString(2),
                row.getString(3),
                row.getString(4),
                row.getInt(5),
                row.getString(6),
                IntentColumns.read(row),
                row.getObject(10, OffsetDateTime.class).toInstant(),
                row.getObject(11, OffsetDateTime.class).toInstant(),
                row.getObject(12, OffsetDateTime.class).toInstant(),
                row.getObject(13, UUID.class));
    }

    private static DeadMessage dead(ResultSet row) throws SQLException {
        return new DeadMessage(
                row.getObject(1, UUID.class),
                row.getString(2),
                row.getString(3),
                row.getString(4),
                row.getInt(5),
                row.getString(6),
                IntentColumns.read(row),
                row.getObject(10, OffsetDateTime.class).toInstant());
    }
}
