package io.idempotency.internal.postgres.maintenance;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.sql.DataSource;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.internal.postgres.PostgresStorage;
import io.idempotency.internal.postgres.Requests;
import io.idempotency.internal.postgres.Session;
import io.idempotency.internal.postgres.schema.StorageTable;
import io.idempotency.internal.retention.Purge;
import io.idempotency.internal.retention.PurgeReport;
import io.idempotency.internal.retention.PurgeReport.End;
import io.idempotency.internal.retention.PurgeSettings;
import io.idempotency.observation.IdempotencyListener;
import io.idempotency.test.Backends;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Rows that are moved instead of being deleted: each is in one of the two tables, whatever happens. */
@PostgresTest
class ArchiveTest {

    private static final Duration LONG = Duration.ofMinutes(5);

    private final TestDatabase database;
    private final JdbcTemplate admin;

    ArchiveTest(TestDatabase database) {
        this.database = database;
        this.admin = database.jdbc();
    }

    @BeforeAll
    static void migrate(TestDatabase database) {
        MigratedTables.in(database);
    }

    @BeforeEach
    void clear() {
        admin.execute("""
                truncate idempotency.processed_message, idempotency.processed_message_archive,
                    idempotency.message_failure, idempotency.message_failure_archive, idempotency.outbox_event,
                    idempotency.outbox_event_archive, idempotency.idempotency_request,
                    idempotency.idempotency_request_archive, idempotency.purge_lease""");
    }

    @Test
    void takesExpiredRowsOfAllTablesAsTheyAre() throws Exception {
        insertMessages(2, "-1 day");
        insertMessages(1, "1 day");
        admin.execute("""
                insert into idempotency.message_failure values
                    ('test', 'f', 'type', 3, 'code', 'message', now(), now(), now() - interval '1 second');
                insert into idempotency.outbox_event (
                    message_id, topic, message_type, lane, payload, headers, status, attempt_count, created_at, due_at,
                    next_attempt_at, sent_at, expires_at)
                values (
                    gen_random_uuid(), 'topic', 'type', 0, '{"a": 1}', '{}', 'sent', 1, now(), now(), now(), now(),
                    now() - interval '1 second')""");
        try (Session session = new Session(database.connection())) {
            session.call(Requests.request("order-42"), "{\"answer\": 42}");
        }
        admin.execute("update idempotency.idempotency_request set expires_at = now() - interval '1 second'");
        String request = admin.queryForObject(
                "select to_jsonb(r)::text from idempotency.idempotency_request as r", String.class);

        PurgeReport report = purge(Duration.ZERO).run();

        assertThat(report.deleted())
                .isEqualTo(Map.of(
                        "idempotency_request", 1L, "processed_message", 2L, "message_failure", 1L, "outbox_event", 1L));
        assertThat(count("processed_message")).isOne();
        assertThat(count("processed_message_archive")).isEqualTo(2);
        assertThat(count("message_failure_archive")).isOne();
        assertThat(count("outbox_event_archive")).isOne();
        assertThat(admin.queryForObject(
                        "select (to_jsonb(r) - 'archived_at')::text from idempotency.idempotency_request_archive as r"
                                + " where archived_at > expires_at",
                        String.class))
                .isEqualTo(request);
    }

    @Test
    void takesAKeyAsOftenAsItIsUsed() throws Exception {
        for (int i = 0; i < 3; i++) {
            try (Session session = new Session(database.connection())) {
                session.call(Requests.request("order-42"), "1");
            }
            admin.execute("update idempotency.idempotency_request set expires_at = now() - interval '1 second'");
            assertThat(purge(Duration.ZERO).run().total()).isOne();
        }

        assertThat(count("idempotency_request_archive")).isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(strings = {"idempotency_request", "processed_message", "message_failure", "outbox_event"})
    void hasTheColumnsOfItsTableAndItsTime(String table) {
        List<String> columns = columnsOf(table);

        assertThat(StorageTable.valueOf(table.toUpperCase(Locale.ROOT))
                        .columns()
                        .split(",\\s*"))
                .containsExactlyInAnyOrderElementsOf(columns.stream()
                        .map(column -> column.substring(0, column.indexOf(' ')))
                        .toList());
        assertThat(columnsOf(table + "_archive"))
                .as("what a later migration has added is behind archived_at")
                .containsExactlyInAnyOrderElementsOf(
                        Stream.concat(columns.stream(), Stream.of("archived_at timestamp with time zone"))
                                .toList());
    }

    private List<String> columnsOf(String table) {
        return admin.queryForList("""
                select attname || ' ' || format_type(atttypid, atttypmod)
                from pg_attribute
                where attrelid = ('idempotency.' || ?)::regclass and attnum > 0 and not attisdropped
                order by attnum""", String.class, table);
    }

    @Test
    void losesNothingWhenItCannotBeWritten() {
        insertMessages(10, "-1 day");
        admin.execute("alter table idempotency.processed_message_archive rename to elsewhere");
        try {
            assertThatThrownBy(() -> purge(Duration.ZERO).run()).hasMessageContaining("processed_message_archive");
        } finally {
            admin.execute("alter table idempotency.elsewhere rename to processed_message_archive");
        }
        assertThat(count("processed_message")).isEqualTo(10);
    }

    @Test
    @Tag("race")
    @Tag("full")
    void holdsWhatIsNotInTheTableAfterAPurgeWhoseConnectionsAreKilledAgainAndAgain() throws Exception {
        int rows = 5_000;
        insertMessages(rows, "-1 day");
        AtomicInteger kills = new AtomicInteger();
        DataSource killed = database.dataSource(2);
        killTheFirstBatch(killed, kills);
        requireEachRowOnce(rows);
        while (count("processed_message") > 0) {
            ConcurrentCalls<PurgeReport> running = ConcurrentCalls.start(
                    1, () -> purge(killed, Duration.ofMillis(1)).run());
            while (!running.isDone() && kills.get() < 10) {
                for (Backends.Backend backend : database.backends().activity()) {
                    if (backend.writing() && !backend.idle()) {
                        admin.queryForObject("select pg_terminate_backend(?)", Boolean.class, backend.pid());
                        kills.incrementAndGet();
                    }
                }
                requireEachRowOnce(rows);
            }
            running.await();
            admin.execute("truncate idempotency.purge_lease");
        }
        requireEachRowOnce(rows);
        assertThat(kills).hasPositiveValue();
        assertThat(count("processed_message_archive")).isEqualTo(rows);
    }

    /** Which waits for a table that another one has locked, with something written. */
    private void killTheFirstBatch(DataSource dataSource, AtomicInteger kills) throws Exception {
        ConcurrentCalls<PurgeReport> running;
        try (Session locking = new Session(database.connection())) {
            locking.execute("lock table idempotency.processed_message_archive in exclusive mode");
            running = ConcurrentCalls.start(
                    1, () -> purge(dataSource, Duration.ofMillis(1)).run());
            database.backends().awaitBlocked(1);
            database.backends().activity().stream()
                    .filter(Backends.Backend::blocked)
                    .forEach(backend -> {
                        database.backends().terminate(backend.pid());
                        kills.incrementAndGet();
                    });
            locking.rollback();
        }
        assertThat(running.await().failures()).hasSize(1);
        admin.execute("truncate idempotency.purge_lease");
    }

    @ParameterizedTest(name = "in a batch: {0}")
    @ValueSource(booleans = {true, false})
    @Tag("race")
    void holdsWhatIsNotInTheTableAfterAPurgeWhoseThreadIsInterrupted(boolean inABatch) throws Exception {
        int rows = 5_000;
        insertMessages(rows, "-1 day");
        Thread thread = new Thread(() -> {
            try {
                purge(LONG).run();
            } catch (InterruptedException | RuntimeException end) {
                Thread.currentThread().interrupt();
            }
        });
        try (Session locking = new Session(database.connection())) {
            if (inABatch) {
                locking.execute("lock table idempotency.processed_message_archive in exclusive mode");
                thread.start();
                database.backends().awaitBlocked(1);
                thread.interrupt();
            }
            locking.rollback();
        }
        if (!inABatch) {
            thread.start();
            Awaitility.await().until(() -> count("processed_message_archive") > 0);
            thread.interrupt();
        }
        thread.join(LONG.toMillis());

        assertThat(thread.isAlive()).isFalse();
        requireEachRowOnce(rows);
        assertThat(count("processed_message")).isPositive();
        PurgeReport rest = purge(Duration.ZERO).run();
        assertThat(rest.end()).as("the lease was released").isEqualTo(End.NOTHING_LEFT);
        requireEachRowOnce(rows);
    }

    private void requireEachRowOnce(int rows) {
        assertThat(admin.queryForMap("""
                select count(*) as both, count(distinct message_id) as distinct_ids
                from (
                    select message_id from idempotency.processed_message
                    union all
                    select message_id from idempotency.processed_message_archive) as everywhere""")).isEqualTo(Map.of("both", (long) rows, "distinct_ids", (long) rows));
    }

    private Purge purge(Duration pause) {
        return purge(database.dataSource(), pause);
    }

    private static Purge purge(DataSource dataSource, Duration pause) {
        return new Purge(
                new PostgresStorage(dataSource, MigratedTables.SCHEMA).purgeStore("test", true),
                new PurgeSettings(100, pause, LONG),
                new IdempotencyListener() {});
    }

    private void insertMessages(int rows, String expiresIn) {
        admin.update("""
                insert into idempotency.processed_message (consumer, message_id, processed_at, expires_at)
                select 'test', 'm-' || i || ?, now(), now() + ?::interval
                from generate_series(1, ?) i""", expiresIn, expiresIn, rows);
    }

    private int count(String table) {
        return admin.queryForObject("select count(*) from idempotency." + table, Integer.class);
    }
}
