package io.idempotency.benchmarks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.List;

import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionOperations;

/**
 * The least that keeps the ids of a batch: rows of nothing else with nothing but their primary key, which nobody asked for
 * before. A batch with one id that is known is rolled back as a whole, nothing bounds its wait, and nothing says when a row may
 * go.
 */
final class FloorBatchContender extends BatchContender {

    private static final String TABLE = "processed_id";

    private static final String DDL = """
            create table processed_id (
                message_id text collate "C" not null,
                consumer text collate "C" not null,
                primary key (message_id, consumer)
            )""";

    /** Sorted, or two batches with the same ids could deadlock. */
    private static final String INSERT = """
            insert into processed_id (message_id, consumer)
            select id, ?
            from unnest(?) as message (id)
            order by id""";

    FloorBatchContender(ContenderSetup setup) {
        super("floor-batch-" + SIZE, setup, BatchListener.class, List.of(BatchListener.class));
    }

    @Override
    void prepare(JdbcTemplate jdbc) {
        jdbc.execute(DDL);
    }

    @Override
    List<String> tables() {
        return List.of(TABLE);
    }

    @Override
    boolean remembers() {
        return true;
    }

    @Override
    String note() {
        return "one repeat rolls the batch back";
    }

    static class BatchListener implements Listener {

        private final JdbcTemplate jdbc;

        private final CallEffect effect;

        private final TransactionOperations transactions;

        BatchListener(JdbcTemplate jdbc, CallEffect effect, TransactionOperations transactions) {
            this.jdbc = jdbc;
            this.effect = effect;
            this.transactions = transactions;
        }

        @Override
        public void on(List<Message> messages) {
            try {
                transactions.executeWithoutResult(status -> {
                    insert(messages.stream().map(Message::id).toArray(String[]::new));
                    effect.payAll(messages);
                });
            } catch (DuplicateKeyException known) {
                // Whoever inserted the id has made its effect.
            }
        }

        private void insert(String[] ids) {
            jdbc.execute((Connection connection) -> {
                try (PreparedStatement statement = connection.prepareStatement(INSERT)) {
                    statement.setString(1, "payments");
                    statement.setArray(2, connection.createArrayOf("text", ids));
                    return statement.executeUpdate();
                }
            });
        }
    }
}
