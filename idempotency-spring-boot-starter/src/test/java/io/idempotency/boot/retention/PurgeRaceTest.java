package io.idempotency.boot.retention;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;

import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.boot.testing.Note;
import io.idempotency.boot.testing.Notebook;
import io.idempotency.boot.testing.NotebookTests;
import io.idempotency.internal.retention.Purge;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.TestSize;

import static org.assertj.core.api.Assertions.assertThat;

/** Calls that meet a purge. */
@Tag("race")
@Tag("full")
class PurgeRaceTest extends NotebookTests {

    private static final String EXPIRE_ALL =
            "update idempotency.idempotency_request set expires_at = now() - interval '1 second'";

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
