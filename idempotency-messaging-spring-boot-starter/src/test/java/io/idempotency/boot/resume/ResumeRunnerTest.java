package io.idempotency.boot.resume;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

import io.idempotency.IdempotencyContext;
import io.idempotency.IdempotencyMode;
import io.idempotency.Idempotent;
import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.boot.testing.LogLines;
import io.idempotency.internal.resume.CallResumer;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The threads of an application that resume calls. */
@PostgresTest
@Tag("full")
class ResumeRunnerTest {

    private static final CountDownLatch RUNNING = new CountDownLatch(1);

    private static final CountDownLatch MAY_END = new CountDownLatch(1);

    static class Refunds {

        @Idempotent(scope = "refunds", key = "#key", mode = IdempotencyMode.LEASED, lease = "1s", resume = true)
        public String pay(String key) throws InterruptedException {
            if (IdempotencyContext.current().attempt() == 1) {
                throw new IllegalStateException("vanished");
            }
            RUNNING.countDown();
            assertThat(MAY_END.await(30, TimeUnit.SECONDS)).isTrue();
            return "paid";
        }
    }

    @Test
    void aShutdownWaitsForTheCallThatIsResumedWhoseLeaseIsRenewedMeanwhile(TestDatabase database) throws Exception {
        String key = "refund-" + UUID.randomUUID();
        ConfigurableApplicationContext application = JdbcTestApplication.start(
                database, new Class<?>[] {Refunds.class}, "idempotency.outbox.poll-interval=50ms");
        vanish(database, key, () -> application.getBean(Refunds.class).pay(key));
        assertThat(RUNNING.await(30, TimeUnit.SECONDS)).isTrue();

        Thread shutdown = new Thread(application::close, "shutdown");
        shutdown.start();
        Awaitility.await().until(() -> shutdown.getState() == Thread.State.TIMED_WAITING);
        Object end = endOfLease(database, key);
        Awaitility.await().until(() -> !endOfLease(database, key).equals(end));
        MAY_END.countDown();
        shutdown.join();

        assertThat(database.jdbc()
                        .queryForObject(
                                "select response_body #>> '{}' from idempotency.idempotency_request where idempotency_key = ?",
                                String.class,
                                key))
                .isEqualTo("paid");
    }

    private static Object endOfLease(TestDatabase database, String key) {
        return database.jdbc()
                .queryForObject(
                        "select locked_until from idempotency.idempotency_request where idempotency_key = ?",
                        Object.class,
                        key);
    }

    static class Hotels {

        static final Queue<String> KEYS = new ConcurrentLinkedQueue<>();

        @Idempotent(scope = "hotels", key = "#key", mode = IdempotencyMode.LEASED, lease = "1s", resume = true)
        public String reserve(String key) throws InterruptedException {
            if (IdempotencyContext.current().attempt() == 1) {
                throw new IllegalStateException("vanished");
            }
            KEYS.add(key);
            if (key.startsWith("hangs")) {
                HANGING_MAY_END.await();
            }
            return "reserved";
        }
    }

    private static final CountDownLatch HANGING_MAY_END = new CountDownLatch(1);

    @Test
    void callsThatHangKeepNoOtherFromBeingResumed(TestDatabase database) {
        try (ConfigurableApplicationContext application = JdbcTestApplication.start(
                database,
                new Class<?>[] {Hotels.class},
                "idempotency.outbox.poll-interval=50ms",
                "idempotency.outbox.handler-threads=1",
                "idempotency.lease=1s",
                "idempotency.max-lease=1s")) {
            for (String key : List.of("hangs-1", "hangs-2", "passes-1")) {
                vanish(database, key, () -> application.getBean(Hotels.class).reserve(key));
                Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> Hotels.KEYS.contains(key));
            }

            HANGING_MAY_END.countDown();
            Awaitility.await().until(() -> succeeded(database) == 3);
            vanish(database, "passes-2", () -> application.getBean(Hotels.class).reserve("passes-2"));
            Awaitility.await().until(() -> succeeded(database) == 4);
        } finally {
            HANGING_MAY_END.countDown();
        }
        assertThat(Hotels.KEYS).containsExactly("hangs-1", "hangs-2", "passes-1", "passes-2");
    }

    static class Tours {

        static final CountDownLatch MAY_END = new CountDownLatch(1);

        @Idempotent(scope = "tours", key = "#key", mode = IdempotencyMode.LEASED, lease = "1s", resume = true)
        public String guide(String key) throws InterruptedException {
            if (IdempotencyContext.current().attempt() == 1) {
                throw new IllegalStateException("vanished");
            }
            MAY_END.await();
            return "guided";
        }
    }

    /** Otherwise an instance would resume ten times as many long calls as it may. */
    @Test
    void aCallWhoseLeaseIsRenewedKeepsItsPlace(TestDatabase database) {
        String key = "tour-" + UUID.randomUUID();
        try (ConfigurableApplicationContext application = JdbcTestApplication.start(
                database, new Class<?>[] {Tours.class}, "idempotency.outbox.poll-interval=50ms")) {
            CallResumer resumer = application.getBean(CallResumer.class);
            vanish(database, key, () -> application.getBean(Tours.class).guide(key));
            Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> resumer.count(true) == 1);
            Object end = endOfLease(database, key);
            Awaitility.await().until(() -> hasPassed(database, end));

            assertThat(resumer.count(false)).isOne();
            Tours.MAY_END.countDown();
        } finally {
            Tours.MAY_END.countDown();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Lazies {

        @Bean
        @Lazy
        Runnable pier() {
            throw new IllegalStateException("no pier");
        }
    }

    /** Calls of another application on the same tables may be due for hours. */
    @Test
    void aLazyBeanThatCannotBeCreatedIsLoggedOnce(TestDatabase database) {
        try (ConfigurableApplicationContext application = JdbcTestApplication.start(
                        database, new Class<?>[] {Refunds.class, Lazies.class}, "idempotency.outbox.poll-interval=1d");
                LogLines log = LogLines.of("io.idempotency.internal.resume.ResumableMethods")) {
            vanish(
                    database,
                    "of-another",
                    () -> application.getBean(Refunds.class).pay("of-another"));
            database.jdbc()
                    .update("update idempotency.outbox_event set idempotency_scope = 'of another application'"
                            + " where idempotency_key = 'of-another'");
            CallResumer resumer = application.getBean(CallResumer.class);

            resumer.resumeAll(() -> true, Runnable::run);
            resumer.resumeAll(() -> true, Runnable::run);

            assertThat(log.texts())
                    .filteredOn(line -> line.startsWith("WARN") && line.contains("'pier'"))
                    .hasSize(1);
        }
    }

    private static boolean hasPassed(TestDatabase database, Object time) {
        return database.jdbc()
                .queryForObject("select clock_timestamp() > ?::timestamptz + interval '1 second'", Boolean.class, time);
    }

    private static void vanish(TestDatabase database, String key, ThrowingCallable call) {
        assertThatThrownBy(call).hasMessage("vanished");
        database.jdbc()
                .update(
                        "update idempotency.idempotency_request set status = 'processing',"
                                + " locked_until = statement_timestamp() - interval '1 second' where idempotency_key = ?",
                        key);
        database.jdbc()
                .update(
                        "update idempotency.outbox_event set status = 'pending', sent_at = null, expires_at = null,"
                                + " next_attempt_at = statement_timestamp() where idempotency_key = ?",
                        key);
    }

    private static int succeeded(TestDatabase database) {
        return database.jdbc()
                .queryForObject(
                        "select count(*) from idempotency.idempotency_request"
                                + " where idempotency_scope = 'hotels' and status = 'succeeded'",
                        Integer.class);
    }
}
