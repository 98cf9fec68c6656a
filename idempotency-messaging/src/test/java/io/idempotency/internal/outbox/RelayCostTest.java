package io.idempotency.internal.outbox;

import java.sql.SQLException;
import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.RoundTripCounter;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** What publishing and sending cost, and that neither depends on what else is in the table. */
@PostgresTest
@Tag("full")
class RelayCostTest {

    /** More than it takes until the driver prepares a statement on the server. */
    private static final int BATCHES = 8;

    private static final int OTHER_ROWS = 20_000;

    private final TestDatabase database;

    private final JdbcTemplate admin;

    RelayCostTest(TestDatabase database) {
        this.database = database;
        this.admin = database.jdbc();
    }

    @BeforeAll
    static void migrate(TestDatabase database) {
        MigratedTables.in(database);
    }

    @AfterEach
    void clear() {
        admin.execute("truncate idempotency.outbox_event");
    }

    @ParameterizedTest
    @ValueSource(strings = {"simple", "extended", "extendedForPrepared", "extendedCacheEverything"})
    void inRoundTrips(String queryMode) throws Exception {
        try (RoundTripCounter counter = RoundTripCounter.of(database);
                SingleConnectionDataSource counted = connection(counter, queryMode)) {
            Publisher publisher = new Publisher(counted);
            publisher.publish("warm-up", 0);
            publisher.store.send(10, Duration.ofSeconds(10), null, Taken::asSent);
            assertThat(counter.count(() -> publisher.store.send(10, Duration.ofSeconds(10), null, Taken::asSent)))
                    .as("finding nothing, the look for messages from before a clock was set back, and the commit")
                    .isEqualTo(3);
            for (int i = 0; i < BATCHES; i++) {
                int number = i;
                assertThat(counter.count(() -> publisher.publish("a", number)))
                        .as("a message in a transaction of its own, BEGIN included, and the commit")
                        .isEqualTo(2);
                assertThat(counter.count(() -> publisher.store.send(10, Duration.ofSeconds(10), null, Taken::asSent)))
                        .as("taking a batch, BEGIN included, keeping that it was sent, and the commit")
                        .isEqualTo(3);
                assertThat(counter.count(() -> publisher.store.send(10, Duration.ofSeconds(10), null, Taken::asSent)))
                        .as("finding nothing, and the commit")
                        .isEqualTo(2);
            }
        }
        assertThat(Publisher.states(admin)).hasSize(BATCHES + 1).allMatch(state -> state.endsWith("sent"));
    }

    private SingleConnectionDataSource connection(RoundTripCounter counter, String queryMode) throws SQLException {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(counter.jdbcUrl());
        dataSource.setUser(database.username());
        dataSource.setPassword(database.password());
        dataSource.setProperty("preferQueryMode", queryMode);
        return new SingleConnectionDataSource(dataSource.getConnection(), true);
    }

    @ParameterizedTest
    @ValueSource(strings = {"read committed", "repeatable read", "serializable"})
    void aBatchIsTakenWhateverTheIsolationOfThePool(String isolation) {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(database.jdbcUrl());
        dataSource.setUser(database.username());
        dataSource.setPassword(database.password());
        dataSource.setOptions("-c default_transaction_isolation=" + isolation.replace(" ", "\\ "));
        Publisher publisher = new Publisher(dataSource);
        publisher.publish("a", 1);
        publisher.store.send(10, Duration.ofSeconds(10), null, Taken::asSent);

        assertThat(Publisher.states(admin)).containsExactly("1 sent");
    }

    @Test
    void neitherSentNorLaterNorBlockedMessagesAreReadAgain() {
        Publisher publisher = new Publisher(database.adminDataSource());
        fill("'sent', null", "now() - interval '1 hour'", "now(), now()");
        fill("'pending', null", "now() + interval '1 hour'", "null, null");
        admin.execute("vacuum analyze idempotency.outbox_event");
        publisher.publish("a", 1);
        long tablePages = admin.queryForObject(
                "select pg_relation_size('idempotency.outbox_event') / current_setting('block_size')::bigint",
                Long.class);

        long read = pagesReadBy(() -> assertThat(Taken.from(publisher.store)).hasSize(1));

        // Some for each of 64 lanes, of which one has something.
        assertThat(read)
                .as("pages of %d", tablePages)
                .isPositive()
                .isLessThan(tablePages)
                .isLessThan(600);
    }

    private void fill(String statusAndError, String nextAttempt, String sentAndExpiry) {
        admin.execute("""
                insert into idempotency.outbox_event (
                    message_id, topic, message_type, ordering_key, lane, payload, headers, status, last_error,
                    attempt_count, created_at, due_at, next_attempt_at, sent_at, expires_at)
                select gen_random_uuid(), 'orders', 'OrderPlaced', 'key-' || i, i %% 64, '1', '{}', %s,
                       0, now(), now(), %s, %s
                from generate_series(1, %d) as i""".formatted(statusAndError, nextAttempt, sentAndExpiry, OTHER_ROWS));
    }

    /** Returns how many pages of the table and its indexes the work reads. */
    private long pagesReadBy(Runnable work) {
        long before = pages();
        work.run();
        return pages() - before;
    }

    private long pages() {
        database.backends().awaitStatistics();
        return admin.queryForObject("""
                select sum(heap_blks_read + heap_blks_hit + coalesce(idx_blks_read + idx_blks_hit, 0))
                from pg_statio_user_tables
                where relname = 'outbox_event'""", Long.class);
    }
}
