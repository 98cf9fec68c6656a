package io.idempotency.boot.retention;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionOperations;

import io.idempotency.IdempotencyOperations;
import io.idempotency.Idempotent;
import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.boot.testing.NotebookTests;
import io.idempotency.boot.testing.StartupReport;
import io.idempotency.inbox.IdempotentReceiver;
import io.idempotency.inbox.Inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** How long something is remembered: who says so, and how short it may be. */
class RetentionTest extends NotebookTests {

    private static final String ACTION = "Raise the retention, or lower idempotency.minimum-retention";

    @ParameterizedTest
    @CsvSource(textBlock = """
            idempotency.minimum-retention=8d,  idempotency.retention = 7d is shorter than idempotency.minimum-retention = 8d.
            idempotency.inbox.retention=6d,    idempotency.inbox.retention = 6d is shorter than idempotency.minimum-retention = 7d.
            idempotency.inbox.retention-by-consumer.billing=36h, idempotency.inbox.retention-by-consumer.billing = 1d12h is shorter than idempotency.minimum-retention = 7d.
            """)
    void configurationThatForgetsTooEarlyIsRefused(String property, String report) {
        StartupReport refused =
                StartupReport.of(() -> start(new Class<?>[0], "idempotency.minimum-retention=7d", property));

        assertThat(refused.description()).contains(report, "is not recognised and takes effect again");
        assertThat(refused.action()).contains(ACTION);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            idempotency.retention=59s | idempotency.wait-timeout=5s  | idempotency.retention = 59s is shorter than 1m,
            idempotency.retention=5m  | idempotency.wait-timeout=10m | idempotency.retention = 5m is shorter than 10m,
            idempotency.retention=5m  | idempotency.lease=10m        | idempotency.retention = 5m is shorter than 10m,
            idempotency.inbox.retention=59s | idempotency.wait-timeout=5s | idempotency.inbox.retention = 59s is shorter than 1m,
            idempotency.inbox.retention-by-consumer.a=7ms | idempotency.lease=10s | retention-by-consumer.a = 7ms is shorter than 1m,
            """)
    void aRetentionThatMayEndBeforeItsCallIsRefused(String retention, String other, String report) {
        StartupReport refused = StartupReport.of(() -> start(new Class<?>[0], retention, other));

        assertThat(refused.description())
                .contains(report, "the longest of one minute, idempotency.wait-timeout and idempotency.lease");
        assertThat(refused.action())
                .isEqualTo(
                        "Raise the retention, or set idempotency.minimum-retention if nothing is repeated or replayed"
                                + " after so long a time.");
        start(new Class<?>[0], retention, "idempotency.minimum-retention=7ms").close();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            idempotency.minimum-retention=4d | idempotency.minimum-retention = 4d.
            idempotency.lease=4d             | 4d, the longest of one minute, idempotency.wait-timeout and idempotency.lease.
            """)
    void annotationsAndCallsThatForgetTooEarlyAreRefused(String property, String reason) {
        StartupReport refused = StartupReport.of(() -> start(new Class<?>[] {Hasty.class}, property));
        assertThat(refused.description())
                .contains("The retention '1d' of @Idempotent on", "Hasty.pay", "It is shorter than " + reason);
        assertThat(refused.action()).contains("Raise the retention");

        assertThat(StartupReport.of(() -> start(new Class<?>[] {Receiver.class}, property))
                        .description())
                .contains("The retention '3d' of @IdempotentReceiver on", "Receiver.receive", reason);
        try (ConfigurableApplicationContext application = start(new Class<?>[0], property)) {
            IdempotencyOperations.Call call =
                    application.getBean(IdempotencyOperations.class).call("payments", "key", null);
            assertThatThrownBy(() -> call.retention(Duration.ofDays(3)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("The retention 3d is shorter than " + reason);
            call.retention(Duration.ofDays(4)).run(() -> {});
        }
    }

    @Test
    void aReceiverWhoseConsumerIsConfiguredMayForgetEarlier() {
        start(
                        new Class<?>[] {Receiver.class},
                        "idempotency.minimum-retention=7d",
                        "idempotency.inbox.retention-by-consumer.[own.retention]=8d")
                .close();
    }

    @Test
    void whatIsLongEnoughStarts() {
        start(
                        new Class<?>[] {Hasty.class, Receiver.class},
                        "idempotency.minimum-retention=1d",
                        "idempotency.retention=1d",
                        "idempotency.inbox.retention=1d")
                .close();
    }

    @Test
    void consumerIsNotNamedByAnythingItCannotBe() {
        StartupReport refused = StartupReport.of(
                () -> start(new Class<?>[0], "idempotency.inbox.retention-by-consumer.[" + "x".repeat(129) + "]=8d"));

        assertThat(refused.description()).contains("is not for a valid consumer");
    }

    @Test
    void configurationOfAConsumerBeatsItsReceiverAndTheDefault() throws Exception {
        try (ConfigurableApplicationContext application = start(
                new Class<?>[] {Receiver.class},
                "idempotency.inbox.retention=1d",
                "idempotency.inbox.retention-by-consumer.[own.retention]=90d",
                "idempotency.inbox.retention-by-consumer.billing=91d")) {
            Receiver receiver = application.getBean(Receiver.class);
            receiver.receive("a");
            assertThatThrownBy(() -> receiver.receive("failing")).hasMessage("failing");
            receiver.receiveByDefault("b");
            Inbox inbox = application.getBean(Inbox.class);
            inbox.handleOnce("billing", "c", () -> {});
            assertThatThrownBy(() -> inbox.handleOnce("billing", "failing", () -> {
                        throw new IllegalStateException("failing");
                    }))
                    .hasMessage("failing");
            inbox.handleOnce("other", "d", () -> {});
            application.getBean(TransactionOperations.class).executeWithoutResult(status -> {
                inbox.claimNew("billing", List.of("e"), id -> id);
                inbox.claimNew("other", List.of("f"), id -> id);
            });

            assertThat(daysOf("processed_message", "processed_at"))
                    .containsExactly("a 90", "b 1", "c 91", "d 1", "e 91", "f 1");
            assertThat(daysOf("message_failure", "last_failed_at")).containsExactly("failing 90", "failing 91");
        }
    }

    private List<String> daysOf(String table, String since) {
        return admin.queryForList(
                "select message_id || ' ' || round(extract(epoch from expires_at - " + since
                        + ") / 86400) from idempotency." + table + " order by 1",
                String.class);
    }

    private ConfigurableApplicationContext start(Class<?>[] beans, String... properties) {
        return JdbcTestApplication.start(
                database, beans, JdbcTestApplication.and(properties, "idempotency.max-lease=20d"));
    }

    static class Hasty {

        @Transactional
        @Idempotent(scope = "payments", key = "#key", retention = "1d")
        public void pay(String key) {}
    }

    static class Receiver {

        @Transactional
        @IdempotentReceiver(consumer = "own.retention", messageId = "#id", retention = "3d")
        public void receive(String id) {
            if (id.equals("failing")) {
                throw new IllegalStateException(id);
            }
        }

        @Transactional
        @IdempotentReceiver(consumer = "other.receiver", messageId = "#id")
        public void receiveByDefault(String id) {}
    }
}
