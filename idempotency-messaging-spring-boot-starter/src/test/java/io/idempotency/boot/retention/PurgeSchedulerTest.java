package io.idempotency.boot.retention;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.boot.testing.Notebook;
import io.idempotency.boot.testing.NotebookTests;
import io.idempotency.boot.testing.StartupReport;
import io.idempotency.internal.retention.Purge;
import io.idempotency.internal.retention.PurgeReport;
import io.idempotency.observation.IdempotencyListener;
import io.idempotency.observation.RowsPurged;
import io.idempotency.test.Backends;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Expired rows go while the application runs, by a thread that the application needs to know nothing of. */
@ExtendWith(OutputCaptureExtension.class)
@Tag("full")
class PurgeSchedulerTest extends NotebookTests {

    private static final String OFTEN = "idempotency.purge.interval=100ms";

    private static final String FAILED = "Expired idempotency rows could not be deleted";

    @Test
    void expiredRowsVanishWhileTheApplicationRunsAndOthersStay() {
        try (ConfigurableApplicationContext application = start(OFTEN)) {
            application.getBean(Notebook.class).write("kept", "text");
            for (String key : List.of("first", "second", "third")) {
                writeAndExpire(application, key);

                await().untilAsserted(() -> assertThat(keys()).containsExactly("kept"));
            }
        }
    }

    @Test
    void threadSaysWhatItIsForAndEndsWithTheContext() throws InterruptedException {
        Thread thread;
        try (ConfigurableApplicationContext application = start(OFTEN)) {
            writeAndExpire(application, "key");
            thread = application.getBean(PurgeListener.class).awaitPurge();

            assertThat(thread.getName()).startsWith("idempotency-purge-");
            assertThat(thread.isDaemon()).isTrue();
        }

        thread.join(Duration.ofSeconds(10).toMillis());
        assertThat(thread.isAlive()).isFalse();
    }

    @Test
    void contextThatIsStoppedAndStartedAgainPurgesAgain() {
        try (ConfigurableApplicationContext application = start(OFTEN)) {
            application.stop();
            assertThat(application.getBean(PurgeScheduler.class).isRunning()).isFalse();
            application.start();

            writeAndExpire(application, "key");

            await().untilAsserted(() -> assertThat(keys()).isEmpty());
        }
    }

    @Test
    void canBeSwitchedOffAndStillBeRunByHand() throws InterruptedException {
        try (ConfigurableApplicationContext application = start("idempotency.purge.enabled=false")) {
            assertThat(application.getBeansOfType(PurgeScheduler.class)).isEmpty();
            writeAndExpire(application, "key");

            assertThat(application.getBean(Purge.class).run(Duration.ofSeconds(10)))
                    .isEqualTo(new PurgeReport(Map.of("idempotency_request", 1L), PurgeReport.End.NOTHING_LEFT));
            assertThat(keys()).isEmpty();
        }
    }

    @Test
    void runsWhenACronExpressionSaysSo() {
        try (ConfigurableApplicationContext application = start("idempotency.purge.cron=* * * * * *")) {
            writeAndExpire(application, "key");

            await().untilAsserted(() -> assertThat(keys()).isEmpty());
        }
    }

    @Test
    void movesRowsToTheArchiveIfThatIsWanted() {
        try (ConfigurableApplicationContext application = start(OFTEN, "idempotency.purge.archive=true")) {
            writeAndExpire(application, "key");

            await().untilAsserted(() -> assertThat(admin.queryForList(
                            "select idempotency_key from idempotency.idempotency_request_archive", String.class))
                    .containsExactly("key"));
            assertThat(keys()).isEmpty();
        }
    }

    @Test
    void archiveThatCannotBeWrittenIsReportedAtStartUp() {
        start("idempotency.purge.archive=true").close();
        admin.execute("drop table idempotency.outbox_event_archive");

        assertThat(StartupReport.of(() -> start("idempotency.purge.archive=true"))
                        .description())
                .contains("there is no outbox_event_archive (messaging-archive)");
    }

    @Test
    void stopEndsAPurgeThatIsInItsPauseAtOnce() {
        ConfigurableApplicationContext application = start(
                OFTEN,
                "idempotency.purge.batch-size=1",
                "idempotency.purge.pause=1h",
                "idempotency.purge.max-duration=30d");
        writeAndExpire(application, "first");
        await().untilAsserted(() -> assertThat(keys()).isEmpty());
        writeAndExpire(application, "second");

        application.close();

        await().until(() -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().startsWith("idempotency-purge-")));
        assertThat(keys()).containsExactly("second");
    }

    @Test
    void failureIsLoggedAndTheNextRunTriesAgain(CapturedOutput output) {
        try (ConfigurableApplicationContext application = start(OFTEN)) {
            writeAndExpire(application, "key");
            admin.execute("alter table idempotency.idempotency_request rename to elsewhere");

            await().until(() -> output.getAll().contains(FAILED));
            admin.execute("alter table idempotency.elsewhere rename to idempotency_request");

            await().untilAsserted(() -> assertThat(keys()).isEmpty());
        }
    }

    @Test
    void closingDoesNotWaitForAPurgeThatIsBlocked(CapturedOutput output) throws SQLException {
        ConfigurableApplicationContext application = start(OFTEN);
        try (Connection locking = lockTable()) {
            int blocked = awaitBlockedPurge();
            long start = System.nanoTime();

            application.close();

            // Spring waits for thirty seconds.
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(15));
            locking.rollback();
            database.backends().awaitGone(blocked);
        }
        await().until(() -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().startsWith("idempotency-purge-")));
        assertThat(output.getAll()).doesNotContain(FAILED);
    }

    private ConfigurableApplicationContext start(String... properties) {
        return JdbcTestApplication.start(database, new Class<?>[] {Notebook.class, PurgeListener.class}, properties);
    }

    private void writeAndExpire(ConfigurableApplicationContext application, String key) {
        application.getBean(Notebook.class).write(key, "text");
        admin.update(
                "update idempotency.idempotency_request set expires_at = now() - interval '1 s'"
                        + " where idempotency_key = ?",
                key);
    }

    private List<String> keys() {
        return admin.queryForList("select idempotency_key from idempotency.idempotency_request", String.class);
    }

    private Connection lockTable() throws SQLException {
        Connection connection = database.connection();
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute("lock table idempotency.idempotency_request in access exclusive mode");
        }
        return connection;
    }

    private int awaitBlockedPurge() {
        database.backends().awaitBlocked(1);
        return database.backends().activity().stream()
                .filter(Backends.Backend::blocked)
                .findFirst()
                .orElseThrow()
                .pid();
    }

    static class PurgeListener implements IdempotencyListener {

        private final CountDownLatch purged = new CountDownLatch(1);

        private volatile Thread thread;

        @Override
        public void rowsPurged(RowsPurged event) {
            thread = Thread.currentThread();
            purged.countDown();
        }

        Thread awaitPurge() throws InterruptedException {
            assertThat(purged.await(10, TimeUnit.SECONDS)).isTrue();
            return thread;
        }
    }
}
