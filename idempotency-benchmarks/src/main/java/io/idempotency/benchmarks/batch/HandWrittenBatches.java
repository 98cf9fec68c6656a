package io.idempotency.benchmarks.batch;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.benchmarks.effect.Effect;
import io.idempotency.benchmarks.effect.Message;

/**
 * The ids of a batch in one statement, as a careful engineer writes it: a row for each, with an expiry and the index that
 * deletes by it, and a wait for another batch that is bounded by five seconds.
 */
class HandWrittenBatches implements BatchService {

    static final String DDL = """
        create table processed (
            consumer text not null,
            message_id text not null,
            processed_at timestamptz not null,
            expires_at timestamptz not null,
            primary key (consumer, message_id)
        );
        create index processed_expires_at on processed (expires_at);
        """;

    /** The ids are sorted, or two batches with the same ones could deadlock. */
    private static final String CLAIM = """
        set local statement_timeout = '5s';
        insert into processed (consumer, message_id, processed_at, expires_at)
        select 'payments', id, clock_timestamp(), clock_timestamp() + interval '7 days'
        from unnest(?) as message (id)
        order by id
        on conflict do nothing
        returning message_id;
        set local statement_timeout = default\
        """;

    private final JdbcTemplate jdbc;

    private final Effect effect;

    HandWrittenBatches(JdbcTemplate jdbc, Effect effect) {
        this.jdbc = jdbc;
        this.effect = effect;
    }

    @Override
    @Transactional
    public void handle(List<Message> messages) {
        Set<String> claimed = claim(messages.stream().map(Message::id).toArray());
        effect.payAll(messages.stream()
                .filter(message -> claimed.contains(message.id()))
                .toList());
    }

    private Set<String> claim(Object[] ids) {
        return jdbc.execute((Connection connection) -> {
            try (PreparedStatement statement = connection.prepareStatement(CLAIM)) {
                statement.setArray(1, connection.createArrayOf("text", ids));
                statement.execute();
                statement.getMoreResults();
                ResultSet rows = statement.getResultSet();
                Set<String> claimed = new HashSet<>();
                while (rows.next()) {
                    claimed.add(rows.getString(1));
                }
                return claimed;
            }
        });
    }
}
