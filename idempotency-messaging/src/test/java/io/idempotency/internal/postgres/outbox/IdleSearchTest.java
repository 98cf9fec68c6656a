package io.idempotency.internal.postgres.outbox;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.internal.outbox.Lanes;
import io.idempotency.internal.outbox.OutboxStore;
import io.idempotency.internal.outbox.SendResult;
import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.transaction.RequiresNewTransaction;
import io.idempotency.test.Backends;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** Searches for what is due, while a long transaction keeps the index entries of all that was sent. */
@PostgresTest
class IdleSearchTest {

    private static final int SENT = 8_000;

    private static final String PUBLISH = """
            insert into idempotency.outbox_event (
                message_id, topic, message_type, lane, payload, headers, status, attempt_count, created_at, due_at,
                next_attempt_at)
            select gen_random_uuid(), 'orders', 'OrderPlaced', %s, '1', '{}', 'pending', 0, t.at, t.at, t.at
            from (select clock_timestamp() - interval '1 hour' as at) t, generate_series(1, %s) as i""";

    private static final String MARK_ALL_AS_SENT =
            "update idempotency.outbox_event set status = 'sent', sent_at = now(), expires_at = 'infinity'";

    private final TestDatabase database;

    private final JdbcTemplate admin;

    private final AtomicLong nanoTime = new AtomicLong();

    private final OutboxStore store;

    private final PostgresResumptions resumptions = new PostgresResumptions(MigratedTables.SCHEMA);

    IdleSearchTest(TestDatabase database) {
        this.database = database;
        this.admin = database.jdbc();
        this.store = new PostgresOutboxStore(
                new Schema(MigratedTables.SCHEMA),
                database.dataSource(),
                Duration.ofDays(3),
                "shop",
                new SearchFloor(nanoTime::get));
    }

    @BeforeAll
    static void migrate(TestDatabase database) {
        MigratedTables.in(database);
    }

    @BeforeEach
    void clear() {
        admin.execute("truncate idempotency.outbox_event");
    }

    /** A search of the relay still reads the pages of the index: the floor does not bound the search for lanes. */
    @ParameterizedTest
    @ValueSource(strings = {"relay", "resumption"})
    void readsNoRowOfWhatWasSent(String kind) throws SQLException {
        boolean isRelay = kind.equals("relay");
        try (Connection dump = database.connection()) {
            dump.setAutoCommit(false);
            execute(dump, "set transaction isolation level repeatable read read only; select 1");
            admin.execute(PUBLISH.formatted(isRelay ? "i % 64" : Lanes.OF_RESUMPTIONS, SENT));
            admin.execute(MARK_ALL_AS_SENT);
            Runnable search = isRelay ? () -> assertThat(take()).isZero() : this::findDue;
            search.run();
            search.run();
            long rows = pages(dump, "heap_blks_hit + heap_blks_read");
            long all = pages(dump, "heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read");

            search.run();

            assertThat(pages(dump, "heap_blks_hit + heap_blks_read") - rows).isZero();
            assertThat(pages(dump, "heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read") - all)
                    .as("about 5,500 before there was a floor")
                    .isLessThan(150);
        }
    }

    @Test
    void findsWhatWasPublishedBeforeItAndCommittedAfterIt() throws SQLException {
        try (Connection publisher = database.connection()) {
            publisher.setAutoCommit(false);
            execute(publisher, PUBLISH.formatted("1", 1));
            for (int i = 0; i < 3; i++) {
                assertThat(take()).isZero();
            }

            publisher.commit();

            assertThat(take()).isOne();
        }
    }

    @Test
    void findsInAMinuteWhatWasChangedByHand() {
        take();
        take();
        admin.execute(PUBLISH.formatted("1", 1));
        assertThat(take()).as("below the floor").isZero();

        nanoTime.addAndGet(Duration.ofMinutes(1).toNanos());

        assertThat(take()).isOne();
        assertThat(take()).as("the floor was lowered").isOne();
    }

    @Test
    void findsWhatFailedAndWhatIsRequeued() {
        admin.execute(PUBLISH.formatted("1", 2));
        take();
        take();
        List<SendResult.Status> ends = new ArrayList<>(List.of(SendResult.Status.FAILED, SendResult.Status.DEAD));
        store.send(
                10,
                Duration.ofSeconds(10),
                null,
                due -> due.stream()
                        .map(each -> new SendResult(
                                each.message(), ends.remove(0), Duration.ZERO, new IllegalStateException("refused")))
                        .toList());
        take();
        assertThat(take()).as("what failed").isOne();

        admin.update(OutboxSql.REQUEUE.replace("{schema}", "idempotency").replace("message_id = ?", "true"));

        assertThat(take()).isEqualTo(2);
    }

    /** Leaves what it takes as it is. */
    private int take() {
        List<Integer> taken = new ArrayList<>();
        store.send(10, Duration.ofSeconds(10), null, due -> {
            taken.add(due.size());
            return List.of();
        });
        return taken.stream().mapToInt(Integer::intValue).sum();
    }

    private void findDue() {
        assertThat(RequiresNewTransaction.readCommittedOn(database.dataSource()).<List<?>>call(connection -> {
                    assertThat(resumptions.hasOtherDue(connection, List.of("shop")))
                            .isFalse();
                    return resumptions.findDue(connection, List.of("shop"), List.of(), 10);
                }))
                .isEmpty();
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private long pages(Connection open, String kinds) throws SQLException {
        database.backends().awaitStatistics(List.of(Backends.pidOf(open)));
        Long read = admin.queryForObject(
                "select " + kinds + " from pg_statio_user_tables where relname = 'outbox_event'", Long.class);
        return read == null ? 0 : read;
    }
}
