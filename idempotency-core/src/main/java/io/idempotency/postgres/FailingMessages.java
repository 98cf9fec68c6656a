package io.idempotency.postgres;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.List;

import io.idempotency.FailingMessage;

/** What operators see of the table {@code message_failure}. */
final class FailingMessages {

    private static final String FIND = """
            select consumer, message_id, message_type, attempt_count, failure_code, failure_message, first_failed_at,
                   last_failed_at
            from {schema}.message_failure
            order by attempt_count desc, last_failed_at desc
            limit ?""";

    private final Schema schema;

    private final OperatorTransaction transaction;

    FailingMessages(Schema schema, OperatorTransaction transaction) {
        this.schema = schema;
        this.transaction = transaction;
    }

    List<FailingMessage> find(int limit) {
        return transaction.ask(jdbcClient -> jdbcClient
                .sql(schema.resolve(FIND))
                .param(limit)
                .query((row, number) -> map(row))
                .list());
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
