package io.idempotency.boot.retention;

import java.time.Duration;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.boot.testing.Note;
import io.idempotency.boot.testing.Notebook;
import io.idempotency.boot.testing.NotebookTests;
import io.idempotency.internal.retention.Purge;

import static org.assertj.core.api.Assertions.assertThat;

/** Calls that meet a purge. */
@Tag("race")
@Tag("full")
class PurgeRaceTest extends NotebookTests {

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
