package io.idempotency.boot.messaging.logging;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.idempotency.Idempotent;
import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.boot.outbox.IdempotencyOutboxAutoConfiguration;
import io.idempotency.inbox.IdempotentReceiver;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** The line at the start also tells of messages. */
@PostgresTest
@ExtendWith(OutputCaptureExtension.class)
class MessagingSummaryTest {

    private final TestDatabase database;

    MessagingSummaryTest(TestDatabase database) {
        this.database = database;
    }

    @Test
    void receiversAndTheRelayAreTold(CapturedOutput output) {
        start("idempotency.outbox.relay=true");
        start("idempotency.outbox.relay=false");

        assertThat(output.getOut().lines().filter(line -> line.contains("Idempotency: ")))
                .satisfiesExactly(
                        line -> assertThat(line)
                                .endsWith("Idempotency: 1 idempotent method, 2 receivers, purge on, relay on"),
                        line -> assertThat(line)
                                .endsWith("Idempotency: 1 idempotent method, 2 receivers, purge on, relay off"));
    }

    private void start(String property) {
        JdbcTestApplication.start(
                        database,
                        new Class<?>[] {Outbox.class, Calls.class, Receivers.class},
                        "logging.level.io.idempotency.startup=info",
                        property)
                .close();
    }

    @ImportAutoConfiguration(IdempotencyOutboxAutoConfiguration.class)
    static class Outbox {}

    static class Calls {

        @Idempotent(scope = "summary-call", key = "#key")
        public void call(String key) {}
    }

    static class Receivers {

        @IdempotentReceiver(consumer = "summary-orders", messageId = "#id")
        public void order(String id) {}

        @IdempotentReceiver(consumer = "summary-refunds", messageId = "#id")
        public void refund(String id) {}
    }
}
