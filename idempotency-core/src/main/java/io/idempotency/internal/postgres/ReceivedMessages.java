package io.idempotency.internal.postgres;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;

import io.idempotency.FailingMessage;
import io.idempotency.HandledMessage;
import io.idempotency.internal.postgres.jdbc.BoundedTransaction;
import io.idempotency.internal.postgres.jdbc.Schema;

/** Reads the tables {@code processed_message} and {@code message_failure} for operators. */
final class ReceivedMessages {

    private static final String FIND_FAILING = """
            select consumer, message_id, message_type, attempt_count, failure_code, failure_message, first_failed_at,
                   last_failed_at
            from {schema}.message_failure
            order by attempt_count desc, last_failed_at desc
            limit ?""";

    private static final String FIND_HANDLED = """
            select consumer, message_id, message_type, processed_at, expires_at
            from {schema}.processed_message
            where (consumer, message_id) operator(pg_catalog.=) (?, ?)""";

    private final Schema schema;

    private final BoundedTransaction transaction;

    ReceivedMessages(Schema schema, BoundedTransaction transaction) {
        this.schema = schema;
        this.transaction = transaction;
    }

    List<FailingMessage> findFailing(int limit) {
        return transaction.query(jdbcClient -> jdbcClient
                .sql(schema.resolve(FIND_FAILING))
                .param(limit)
                .query((row, number) -> map(row))
                .list());
    }

    Optional<HandledMessage> findHandled(String consumer, String messageId) {
        return transaction.query(jdbcClient -> jdbcClient
                .sql(schema.resolve(FIND_HANDLED))
                .params(consumer, messageId)
                .query((row, number) -> new HandledMessage(
                        row.getString(1),
                        row.getString(2),
                        row.getString(3),
                        row.getObject(4, OffsetDateTime.class).toInstant(),
                        row.getObject(5, OffsetDateTime.class).toInstant()))
                .optional());
    }

    private static FailingMessage map(ResultSet row) throws SQLException {
        return new FailingMessage(
                row.getString(1),
                row.getString(2),
                row.getString(3),
                row.getInt(4),
                row.getString(5),
                row.getString(6),
                row.getObject(7, OffsetDateTime.class).toInstant(),
                row.getObject(8, OffsetDateTime.class).toInstant());
    }
}
