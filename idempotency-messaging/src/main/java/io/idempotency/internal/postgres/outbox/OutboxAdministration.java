package io.idempotency.internal.postgres.outbox;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

import io.idempotency.InterventionRefusedException;
import io.idempotency.internal.postgres.jdbc.BoundedTransaction;
import io.idempotency.internal.postgres.jdbc.IntentColumns;
import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.jdbc.TimeColumns;
import io.idempotency.messaging.DeadMessage;
import io.idempotency.messaging.PendingMessage;

/** The queries and changes of operators in the table {@code outbox_event}. */
public final class OutboxAdministration {

    private final Schema schema;

    private final BoundedTransaction transaction;

    /** Prepares the statements. */
    public OutboxAdministration(Schema schema, BoundedTransaction transaction) {
        this.schema = schema;
        this.transaction = transaction;
    }

    /** Finds messages that were not sent yet, in their order. */
    public List<PendingMessage> findPending(int limit) {
        return transaction.query(jdbcClient -> jdbcClient
                .sql(schema.resolve(OutboxSql.FIND_PENDING))
                .param(limit)
                .query((row, number) -> pending(row))
                .list());
    }

    /** Finds dead messages, in their order. */
    public List<DeadMessage> findDead(int limit) {
        return transaction.query(jdbcClient -> jdbcClient
                .sql(schema.resolve(OutboxSql.FIND_DEAD))
                .param(limit)
                .query((row, number) -> dead(row))
                .list());
    }

    /**
     * Lets the relay try a dead message again.
     *
     * @throws InterventionRefusedException if the message is not dead or does not exist
     */
    public void requeue(UUID messageId) {
        int changed = transaction.change(jdbcClient -> jdbcClient
                .sql(schema.resolve(OutboxSql.REQUEUE))
                .param(messageId)
                .update());
        if (changed != 1) {
            Optional<String> status = transaction.query(jdbcClient -> jdbcClient
                    .sql(schema.resolve(OutboxSql.FIND_STATUS))
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
                row.getObject("message_id", UUID.class),
                row.getString("topic"),
                row.getString("message_type"),
                row.getString("ordering_key"),
                row.getInt("attempt_count"),
                row.getString("last_error"),
                IntentColumns.read(row),
                TimeColumns.read(row, "created_at"),
                TimeColumns.read(row, "due_at"),
                TimeColumns.read(row, "next_attempt_at"),
                row.getObject("waits_for", UUID.class));
    }

    private static DeadMessage dead(ResultSet row) throws SQLException {
        return new DeadMessage(
                row.getObject("message_id", UUID.class),
                row.getString("topic"),
                row.getString("message_type"),
                row.getString("ordering_key"),
                row.getInt("attempt_count"),
                row.getString("last_error"),
                IntentColumns.read(row),
                TimeColumns.read(row, "created_at"));
    }
}
