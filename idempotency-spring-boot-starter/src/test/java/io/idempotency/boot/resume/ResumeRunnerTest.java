package io.idempotency.boot.resume;

import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

import io.idempotency.IdempotencyContext;
import io.idempotency.IdempotencyMode;
import io.idempotency.Idempotent;
import io.idempotency.boot.JdbcTestApplication;
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

        @Idempotent(scope = "refunds", key = "#key", mode = IdempotencyMode.LEASED, resume = true)
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
    void aShutdownWaitsForTheCallThatIsResumed(TestDatabase database) throws Exception {
        String key = "refund-" + UUID.randomUUID();
        ConfigurableApplicationContext application =
                JdbcTestApplication.start(database, new Class<?>[] {Refunds.class}, "idempotency.resume.interval=50ms");
        assertThatThrownBy(() -> application.getBean(Refunds.class).pay(key)).hasMessage("vanished");
        database.jdbc()
                .update("update idempotency.idempotency_request set status = 'processing',"
                        + " locked_until = statement_timestamp() - interval '1 second'");
        assertThat(RUNNING.await(30, TimeUnit.SECONDS)).isTrue();

        Thread shutdown = new Thread(application::close, "shutdown");
        shutdown.start();
        Awaitility.await().until(() -> shutdown.getState() == Thread.State.TIMED_WAITING);
        MAY_END.countDown();
        shutdown.join();

        assertThat(database.jdbc()
                        .queryForObject(
                                "select response_body #>> '{}' from idempotency.idempotency_request", String.class))
                .isEqualTo("paid");
    }
}
