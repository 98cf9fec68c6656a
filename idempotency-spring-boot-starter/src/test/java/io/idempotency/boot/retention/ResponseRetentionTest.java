package io.idempotency.boot.retention;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.IdempotencyMode;
import io.idempotency.IdempotencyOperations;
import io.idempotency.Idempotent;
import io.idempotency.KeyReusedException;
import io.idempotency.ResponseExpiredException;
import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.boot.testing.Note;
import io.idempotency.boot.testing.Notebook;
import io.idempotency.boot.testing.NotebookTests;
import io.idempotency.boot.testing.StartupReport;
import io.idempotency.internal.retention.Purge;
import io.idempotency.test.CallResult;
import io.idempotency.test.CallResults;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.TestSize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** A response may go before its key; its repeat is refused then, and executed never. */
class ResponseRetentionTest extends NotebookTests {

    private static final String DUE = "update idempotency.idempotency_request"
            + " set response_expires_at = now() - interval '1 second' where response_expires_at is not null";

    @ParameterizedTest
    @ValueSource(strings = {"READ_COMMITTED", "REPEATABLE_READ", "SERIALIZABLE"})
    void afterItsTimeTheRepeatIsRefusedAndNothingRuns(String isolation) throws Exception {
        try (ConfigurableApplicationContext application = start(isolation, "idempotency.response-retention=1h");
                ConfigurableApplicationContext another = start(isolation, "idempotency.response-retention=1h")) {
            Notebook notebook = application.getBean(Notebook.class);
            Note first = notebook.write("key", "text");
            admin.execute(DUE);
            assertThat(notebook.write("key", "text")).as("until the purge").isEqualTo(first);

            assertThat(application.getBean(Purge.class).run().deleted()).isEqualTo(Map.of("response_body", 1L));

            for (Notebook asked : List.of(notebook, another.getBean(Notebook.class))) {
                assertThatExceptionOfType(ResponseExpiredException.class).isThrownBy(() -> asked.write("key", "text"));
                assertThatExceptionOfType(KeyReusedException.class)
                        .isThrownBy(() -> asked.write("key", "another text"));
            }
            assertThat(Notebook.count(admin)).isOne();
            assertThat(admin.queryForObject(
                            "select round(extract(epoch from expires_at - created_at) / 86400)"
                                    + " from idempotency.idempotency_request",
                            Integer.class))
                    .isEqualTo(7);
        }
    }

    /** In some rounds one goes first, so that both ends are met on any machine. */
    @ParameterizedTest
    @ValueSource(strings = {"READ_COMMITTED", "REPEATABLE_READ", "SERIALIZABLE"})
    @Tag("race")
    @Tag("full")
    void aRepeatThatRacesWithThePurgeGetsTheResponseOrIsRefused(String isolation) throws Exception {
        int rounds = TestSize.pick(60, 10_000);
        int replayed = 0;
        try (ConfigurableApplicationContext application = start(isolation, "idempotency.response-retention=1h");
                ConfigurableApplicationContext another = start(isolation, "idempotency.response-retention=1h")) {
            Notebook notebook = application.getBean(Notebook.class);
            Notebook elsewhere = another.getBean(Notebook.class);
            Purge purge = application.getBean(Purge.class);
            for (int round = 0; round < rounds; round++) {
                String key = "key-" + round;
                Note first = notebook.write(key, "text");
                admin.execute(DUE);
                Callable<Note> purging = () -> {
                    purge.run();
                    return null;
                };
                if (round % 10 == 0) {
                    purging.call();
                }

                CallResults<Note> results = ConcurrentCalls.run(List.of(
                        () -> notebook.write(key, "text"),
                        () -> elsewhere.write(key, "text"),
                        round % 10 == 1 ? () -> null : purging));

                for (CallResult<Note> repeat : results.all().subList(0, 2)) {
                    if (repeat.failure() == null) {
                        assertThat(repeat.value()).isEqualTo(first);
                        replayed++;
                    } else {
                        assertThat(repeat.failure()).isInstanceOf(ResponseExpiredException.class);
                    }
                }
                assertThat(Notebook.count(admin)).as("notes of round %d", round).isOne();
                admin.execute("delete from note; delete from idempotency.idempotency_request");
            }
        }
        assertThat(replayed).isBetween(rounds / 10, 2 * rounds - rounds / 10);
    }

    @Test
    void whatHasNoResponseIsAnsweredForAsLongAsItsKey() throws Exception {
        try (ConfigurableApplicationContext application =
                start("READ_COMMITTED", "idempotency.response-retention=1h")) {
            Silent silent = application.getBean(Silent.class);
            silent.write("key", "1");
            silent.call("key", "2");
            application
                    .getBean(IdempotencyOperations.class)
                    .call("silent", "key", null)
                    .run(() -> {});

            assertThat(admin.queryForList(
                            "select response_expires_at is null from idempotency.idempotency_request", Boolean.class))
                    .containsExactly(true, true, true);
            application.getBean(Purge.class).run();
            silent.write("key", "1");
            silent.call("key", "2");
        }
        assertThat(Notebook.count(admin)).isEqualTo(2);
    }

    @Test
    void aLeasedCallsResponseGoesToo() throws Exception {
        try (ConfigurableApplicationContext application =
                start("READ_COMMITTED", "idempotency.response-retention=1h")) {
            Silent silent = application.getBean(Silent.class);
            assertThat(silent.answer("key")).isEqualTo("answer");
            admin.execute(DUE);
            application.getBean(Purge.class).run();

            assertThatExceptionOfType(ResponseExpiredException.class).isThrownBy(() -> silent.answer("key"));
        }
        assertThat(Notebook.count(admin)).isOne();
    }

    @Test
    void aKeyThatIsKeptForAShorterTimeTakesItsResponseWithIt() {
        try (ConfigurableApplicationContext application =
                start("READ_COMMITTED", "idempotency.response-retention=1d")) {
            IdempotencyOperations operations = application.getBean(IdempotencyOperations.class);
            for (int days = 1; days <= 2; days++) {
                operations
                        .call("days-" + days, "key", null)
                        .retention(Duration.ofDays(days))
                        .returning(String.class)
                        .execute(() -> "a");
            }

            assertThat(admin.queryForList(
                            "select idempotency_scope from idempotency.idempotency_request"
                                    + " where response_expires_at is not null",
                            String.class))
                    .containsExactly("days-2");
        }
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            8d, idempotency.response-retention = 8d is longer than idempotency.retention = 7d. A response expires with its key
            0s, idempotency.response-retention:
            """)
    void whatCannotBeIsRefused(String retention, String report) {
        StartupReport refused =
                StartupReport.of(() -> start("READ_COMMITTED", "idempotency.response-retention=" + retention));

        assertThat(refused.description()).contains(report);
        start("READ_COMMITTED", "idempotency.response-retention=7d").close();
    }

    private ConfigurableApplicationContext start(String isolation, String... properties) {
        return JdbcTestApplication.start(
                database,
                new Class<?>[] {Notebook.class, Silent.class},
                JdbcTestApplication.and(
                        properties,
                        "idempotency.purge.enabled=false",
                        "spring.datasource.hikari.transaction-isolation=TRANSACTION_" + isolation));
    }

    static class Silent {

        private final JdbcTemplate jdbc;

        Silent(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @Transactional
        @Idempotent(scope = "silent-write", key = "#key")
        public void write(String key, String text) {
            insert(text);
        }

        @Idempotent(scope = "silent-call", key = "#key", mode = IdempotencyMode.LEASED)
        public void call(String key, String text) {
            insert(text);
        }

        @Idempotent(scope = "silent-answer", key = "#key", mode = IdempotencyMode.LEASED)
        public String answer(String key) {
            insert("answer");
            return "answer";
        }

        private void insert(String text) {
            jdbc.update("insert into note (text) values (?)", text);
        }
    }
}
