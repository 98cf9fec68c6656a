package io.idempotency.postgres;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.UUID;

import io.idempotency.DeadMessage;

/** What operators see of the table {@code outbox_event}, and what they may change. */
final class DeadMessages {

    private static final String FIND = """
            select message_id, topic, message_type, ordering_key, attempt_count, last_error, idempotency_scope, caller,
                   idempotency_key, created_at
            from {schema}.outbox_event
            where status = 'dead'
            order by sequence
            limit ?""";

    private static final String REQUEUE = """
            update {schema}.outbox_event
            set status = 'pending', attempt_count = 0, next_attempt_at = clock_timestamp()
            where message_id = ? and status = 'dead'""";

    private static final String FIND_STATUS = """
            select status
            from {schema}.outbox_event
            where message_id = ?""";

    private final Schema schema;

    private final OwnTransaction transaction;

    DeadMessages(Schema schema, OwnTransaction transaction) {
        this.schema = schema;
        this.transaction = transaction;
    }

    List<DeadMessage> find(int limit) {
        return transaction.call(jdbcClient -> jdbcClient
                .sql(schema.resolve(FIND))
                .param(limit)
                .query((row, number) -> map(row))
                .list());
    }

    void requeue(UUID messageId) {
        int changed = transaction.call(jdbcClient ->
                jdbcClient.sql(schema.resolve(REQUEUE)).param(messageId).update());
        if (changed != 1) {
            String status = transaction.call(jdbcClient -> jdbcClient
                    .sql(schema.resolve(FIND_STATUS))
                    .param(messageId)
                    .query(String.class)
                    .optional()
                    .map(found -> "it is not dead but " + found)
                    .orElse("there is no such message"));
            throw new IllegalStateException("Cannot requeue the message " + messageId + ": " + status);
        }
    }

    private static DeadMessage map(ResultSet row) throws SQLException {
        return new DeadMessage(
                row.getObject(1, UUID.class),
                row.getString(2),
                row.getString(3),
                row.getString(4),
                row.getInt(5),
                row.getString(6),
                IntentColumns.read(row, 7),
                row.getObject(10, OffsetDateTime.class).toInstant());
    }
}
