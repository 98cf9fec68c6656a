package io.idempotency.benchmarks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/**
 * The ids of a batch in one statement, as a careful engineer would write it: a row for each, with an expiry and the index that
 * deletes by it, the wait for another batch bounded by five seconds.
 */
final class HandWrittenBatchContender extends BatchContender {

    private static final String TABLE = "processed";

    private static final String DDL = """
            create table processed (
                consumer text not null,
                message_id text not null,
                processed_at timestamptz not null,
                expires_at timestamptz not null,
                primary key (consumer, message_id)
            );
            create index processed_expires_at on processed (expires_at)""";

    /** Sorted, or two batches with the same ids could deadlock. */
    private static final String CLAIM = """
            set local statement_timeout = '5s';
            insert into processed (consumer, message_id, processed_at, expires_at)
            select ?, id, clock_timestamp(), clock_timestamp() + interval '7 days'
            from unnest(?) as message (id)
            order by id
            on conflict do nothing
            returning message_id;
            set local statement_timeout = default""";

    HandWrittenBatchContender(ContenderSetup setup) {
        super("hand-written-batch-" + SIZE, setup, BatchListener.class, List.of(BatchListener.class));
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

    static class BatchListener implements Listener {

        private final JdbcTemplate jdbc;

        private final CallEffect effect;

        BatchListener(JdbcTemplate jdbc, CallEffect effect) {
            this.jdbc = jdbc;
            this.effect = effect;
        }

        @Override
        @Transactional
        public void on(List<Message> messages) {
            Set<String> claimed = claim(messages.stream().map(Message::id).toList());
            effect.payAll(messages.stream()
                    .filter(message -> claimed.contains(message.id()))
                    .toList());
        }

        private Set<String> claim(Collection<String> ids) {
            return jdbc.execute((Connection connection) -> {
                try (PreparedStatement statement = connection.prepareStatement(CLAIM)) {
                    statement.setString(1, "payments");
                    statement.setArray(2, connection.createArrayOf("text", ids.toArray()));
                    statement.execute();
                    statement.getMoreResults();
                    return idsIn(statement.getResultSet());
                }
            });
        }

        private static Set<String> idsIn(ResultSet rows) throws SQLException {
            Set<String> ids = new HashSet<>();
            while (rows.next()) {
                ids.add(rows.getString(1));
            }
            return ids;
        }
    }
}
