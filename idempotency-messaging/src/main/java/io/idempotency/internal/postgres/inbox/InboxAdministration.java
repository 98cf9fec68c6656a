package io.idempotency.internal.postgres.inbox;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

import io.idempotency.internal.postgres.jdbc.BoundedTransaction;
import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.jdbc.TimeColumns;
import io.idempotency.messaging.FailingMessage;
import io.idempotency.messaging.HandledMessage;

/** The queries of operators about the tables {@code processed_message} and {@code message_failure}. */
public final class InboxAdministration {

    private final Schema schema;

    private final BoundedTransaction transaction;

    /** Prepares the statements. */
    public InboxAdministration(Schema schema, BoundedTransaction transaction) {
        this.schema = schema;
        this.transaction = transaction;
    }

    /** Finds messages that have failed, those with the most attempts first. */
    public List<FailingMessage> findFailing(int limit) {
        return transaction.query(jdbcClient -> jdbcClient
                .sql(schema.resolve(InboxSql.FIND_FAILING))
                .param(limit)
                .query((row, number) -> map(row))
                .list());
    }

    /**
     * Finds a handled message.
     *
     * @return the message, if it was handled and has not expired
     */
    public Optional<HandledMessage> findHandled(String consumer, String messageId) {
        return transaction.query(jdbcClient -> jdbcClient
                .sql(schema.resolve(InboxSql.FIND_HANDLED))
                .params(consumer, messageId)
                .query((row, number) -> new HandledMessage(
                        row.getString("consumer"),
                        row.getString("message_id"),
                        row.getString("message_type"),
                        TimeColumns.read(row, "processed_at"),
                        TimeColumns.read(row, "expires_at")))
                .optional());
    }

    private static FailingMessage map(ResultSet row) throws SQLException {
        return new FailingMessage(
                row.getString("consumer"),
                row.getString("message_id"),
                row.getString("message_type"),
                row.getInt("attempt_count"),
                row.getString("failure_code"),
                row.getString("failure_message"),
                TimeColumns.read(row, "first_failed_at"),
                TimeColumns.read(row, "last_failed_at"));
    }
}
