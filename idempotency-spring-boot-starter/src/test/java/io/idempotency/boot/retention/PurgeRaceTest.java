package io.idempotency.boot.retention;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.boot.testing.Note;
import io.idempotency.boot.testing.Notebook;
import io.idempotency.internal.retention.Purge;
import io.idempotency.internal.retention.PurgeReport;
import io.idempotency.internal.retention.PurgeReport.End;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;
import io.idempotency.test.TestSize;

import static org.assertj.core.api.Assertions.assertThat;

/** Calls that meet a purge, and purges that meet each other. */
@PostgresTest
@Tag("race")
@Tag("full")
class PurgeRaceTest {

    private static final String EXPIRE_ALL =
            "update idempotency.idempotency_request set expires_at = now() - interval '1 second'";

    private final TestDatabase database;

    private final JdbcTemplate admin;

    PurgeRaceTest(TestDatabase database) {
        this.database = database;
        this.admin = database.jdbc();
    }

    @BeforeAll
    static void createTable(TestDatabase database) {
        Notebook.createTable(database.jdbc());
    }

    @BeforeEach
    void clear() {
        admin.execute("truncate note; drop schema if exists idempotency cascade");
    }

    /** In some rounds one goes first, so that both ends are met on any machine. */
    @ParameterizedTest
    @ValueSource(strings = {"READ_COMMITTED", "REPEATABLE_READ", "SERIALIZABLE"})
    void aCallThatRacesWithThePurgeOfItsKeyGetsTheOldAnswerOrIsExecutedOnce(String isolation) throws Exception {
        int rounds = TestSize.pick(60, 10_000);
        int replayed = 0;
        try (ConfigurableApplicationContext application =
                start("spring.datasource.hikari.transaction-isolation=TRANSACTION_" + isolation)) {
            Notebook notebook = application.getBean(Notebook.class);
            Purge purge = application.getBean(Purge.class);
            for (int round = 0; round < rounds; round++) {
                String key = "key-" + round;
                Note old = notebook.write(key, "old");
                admin.execute(EXPIRE_ALL);
                Callable<Note> call = () -> notebook.write(key, "old");
                Callable<Note> purging = () -> {
                    purge.run();
                    return null;
                };

                Note answer = switch (round % 10) {
                    case 0 -> {
                        purging.call();
                        yield call.call();
                    }
                    case 1 -> {
                        Note first = call.call();
                        purging.call();
                        yield first;
                    }
                    default ->
                        ConcurrentCalls.run(List.of(call, purging))
                                .requireAllSucceeded()
                                .get(0);
                };

                boolean isOld = answer.equals(old);
                assertThat(Notebook.count(admin)).as("notes of round %d", round).isEqualTo(isOld ? 1 : 2);
                replayed += isOld ? 1 : 0;
                admin.execute("delete from note; delete from idempotency.idempotency_request");
            }
        }
        assertThat(replayed).isBetween(rounds / 10, rounds - rounds / 10);
    }

    @Test
    void inThePausesOfAPurgeNoCallWaitsForIt() throws Exception {
        try (ConfigurableApplicationContext application =
                start("idempotency.purge.batch-size=2", "idempotency.purge.pause=1h", "idempotency.wait-timeout=1s")) {
            Notebook notebook = application.getBean(Notebook.class);
            Note first = notebook.write("first", "text");
            notebook.write("second", "text");
            Note last = notebook.write("last", "text");
            admin.execute("""
                    update idempotency.idempotency_request
                    set expires_at = now() - case when idempotency_key = 'last' then 1 else 2 end * interval '1 minute'""");
            Thread purging = new Thread(() -> {
                try {
                    application.getBean(Purge.class).run(Duration.ofDays(1));
                } catch (InterruptedException end) {
                    Thread.currentThread().interrupt();
                }
            });
            purging.start();
            try {
                Awaitility.await().until(() -> purging.getState() == Thread.State.TIMED_WAITING && requests() == 1);

                assertThat(notebook.write("last", "text")).isEqualTo(last);
                assertThat(notebook.write("first", "text")).isNotEqualTo(first);
                assertThat(database.backends().activity())
                        .noneMatch(backend -> backend.inTransaction() || backend.writing());
            } finally {
                purging.interrupt();
                purging.join(10_000);
            }
        }
    }

    @Test
    void twoInstancesAtOnceDeleteEachRowOnceWhileCallsGoOn() throws Exception {
        int rows = TestSize.pick(3_000, 300_000);
        String[] settings = {"idempotency.purge.batch-size=100", "idempotency.purge.pause=1ms"};
        try (ConfigurableApplicationContext one = start(settings);
                ConfigurableApplicationContext other = start(settings)) {
            admin.update("""
                    insert into idempotency.idempotency_request (
                        request_id, idempotency_scope, caller, idempotency_key, request_hash, hash_version, status,
                        claimed_by, claimed_at, attempt_count, created_at, updated_at, expires_at)
                    select idempotency.idempotency_request_id('notes', 'key-' || i), 'notes', '', 'key-' || i, '\\x01',
                           2, 'succeeded', 'test', now(), 1, now(), now(), now() - interval '1 second'
                    from generate_series(1, ?) i""", rows);

            List<Callable<Long>> work = List.of(
                    () -> purgeUntilNothingIsLeft(one),
                    () -> purgeUntilNothingIsLeft(other),
                    () -> writeNew(one, rows / 10),
                    () -> writeNew(other, rows / 10));
            List<Long> results = ConcurrentCalls.run(work).requireAllSucceeded();

            assertThat(results.get(0) + results.get(1)).isEqualTo(rows);
            assertThat(requests()).isEqualTo(2 * (rows / 10));
            assertThat(Notebook.count(admin)).isEqualTo(2 * (rows / 10));
        }
    }

    private long purgeUntilNothingIsLeft(ConfigurableApplicationContext application) throws InterruptedException {
        Purge purge = application.getBean(Purge.class);
        long total = 0;
        PurgeReport report;
        do {
            report = purge.run(Duration.ofMillis(100));
            total += report.total();
        } while (report.end() != End.NOTHING_LEFT);
        return total;
    }

    private static long writeNew(ConfigurableApplicationContext application, int notes) {
        Notebook notebook = application.getBean(Notebook.class);
        for (int i = 0; i < notes; i++) {
            notebook.write(UUID.randomUUID().toString(), "text");
        }
        return 0;
    }

    private int requests() {
        return admin.queryForObject("select count(*) from idempotency.idempotency_request", Integer.class);
    }

    private ConfigurableApplicationContext start(String... properties) {
        return JdbcTestApplication.start(
                database,
                new Class<?>[] {Notebook.class},
                JdbcTestApplication.and(properties, "idempotency.purge.enabled=false"));
    }
}
