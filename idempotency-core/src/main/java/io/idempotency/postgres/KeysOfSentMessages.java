package io.idempotency.postgres;

import java.time.Duration;
import java.util.List;

import org.springframework.jdbc.core.simple.JdbcClient;

import io.idempotency.retention.MaintenanceStep;

/**
 * Forgets the deduplication keys of a partition that may go. Only to have no keys left over: a key does not count any more
 * when its message is gone.
 */
final class KeysOfSentMessages implements MaintenanceStep {

    private static final Duration LOCK_TIMEOUT = Duration.ofMillis(500);

    /** So many that a transaction takes no longer than a moment. */
    private static final int PAGES = 500;

    private static final String FIND_EXPIRED = """
            select leaf
            from {schema}.storage_partition
            where parent = 'outbox_event_sent' and expires_at < statement_timestamp()
            order by starts_at""";

    private static final String COUNT_PAGES = """
            select coalesce(pg_relation_size(to_regclass('{schema}.{leaf}'))
                / current_setting('block_size')::integer, 0)""";

    /** Another instance may have dropped the partition meanwhile; while this is in a transaction, none does. */
    private static final String EXISTS = "select to_regclass('{schema}.{leaf}') is not null";

    private static final String FORGET = """
            delete from {schema}.outbox_deduplication as d
            using {schema}.{leaf} as m
            where m.ctid >= ?::tid and m.ctid < ?::tid
                and (d.topic, d.deduplication_key) operator(pg_catalog.=) (m.topic, m.deduplication_key)
                and d.message_id = m.message_id""";

    /** What is sent after the end of a partition expires after it too. Without its keys a partition may go. */
    private static final String SEAL =
            "update {schema}.storage_partition set sealed_at = ends_at where leaf = cast(? as text)";

    private final Schema schema;

    private final MaintenanceConnection connection;

    KeysOfSentMessages(Schema schema, MaintenanceConnection connection) {
        this.schema = schema;
        this.connection = connection;
    }

    @Override
    public boolean run() {
        List<String> expired = connection.ask(jdbcClient ->
                jdbcClient.sql(schema.resolve(FIND_EXPIRED)).query(String.class).list());
        boolean done = true;
        for (String leaf : expired) {
            boolean forgotten = true;
            long pages = connection.ask(jdbcClient ->
                    jdbcClient.sql(resolve(COUNT_PAGES, leaf)).query(Long.class).single());
            for (long page = 0; page < pages; page += PAGES) {
                long from = page;
                forgotten &= connection.change(LOCK_TIMEOUT, jdbcClient -> forget(jdbcClient, leaf, from));
            }
            done &= forgotten && connection.change(LOCK_TIMEOUT, jdbcClient -> seal(jdbcClient, leaf));
        }
        return done;
    }

    private boolean forget(JdbcClient jdbcClient, String leaf, long page) {
        if (jdbcClient.sql(resolve(EXISTS, leaf)).query(Boolean.class).single()) {
            jdbcClient
                    .sql(resolve(FORGET, leaf))
                    .param("(%d,0)".formatted(page))
                    .param("(%d,0)".formatted(page + PAGES))
                    .update();
        }
        return true;
    }

    private boolean seal(JdbcClient jdbcClient, String leaf) {
        jdbcClient.sql(schema.resolve(SEAL)).param(leaf).update();
        return true;
    }

    private String resolve(String sql, String leaf) {
        return schema.resolve(sql).replace("{leaf}", leaf);
    }
}
