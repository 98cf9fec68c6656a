package io.idempotency.boot.contract;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import io.micrometer.core.instrument.MeterRegistry;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.IdempotencyOperations;
import io.idempotency.IdempotencyOperations.Action;
import io.idempotency.TransactionMismatchException;
import io.idempotency.boot.testing.LogLines;
import io.idempotency.inbox.Inbox;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What the meters and the log tell of attempts that failed, and of executions that were repeated. */
@ContractTest
class ObservedAttemptsTest {

    private static final Action<IllegalStateException> FAIL = () -> {
        throw new IllegalStateException("no paper");
    };

    private final ContractApplication application;

    private final IdempotencyOperations operations;

    private final Inbox inbox;

    private final MeterRegistry registry;

    private Measurements before;

    ObservedAttemptsTest(ContractApplications applications) {
        application = applications.start(
                List.of(MeteredApplication.class),
                "idempotency.record-failed-attempts=true",
                "idempotency.retry.delay=1ms");
        operations = application.bean(IdempotencyOperations.class);
        inbox = application.bean(Inbox.class);
        registry = application.bean(MeterRegistry.class);
    }

    @BeforeEach
    void measure() {
        before = Measurements.of(registry);
    }

    @Test
    void theFirstAttemptIsToldFromRepeats() {
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> operations.call("orders", "key", "request").run(FAIL))
                    .hasMessage("no paper");
        }
        operations.call("orders", "key", "request").run(() -> {});

        assertThat(moved())
                .containsOnly(
                        entry(
                                "idempotency.attempt.failures attempt=first exception=IllegalStateException scope=orders",
                                1.0),
                        entry(
                                "idempotency.attempt.failures attempt=repeat exception=IllegalStateException scope=orders",
                                2.0),
                        entry("idempotency.calls outcome=failed scope=orders", 3.0),
                        entry("idempotency.calls outcome=retried scope=orders", 1.0));
        assertThat(application.outcomes().events())
                .extracting(call -> call.attempt())
                .containsExactly(1, 2, 3, 4);
    }

    @Test
    void theFirstAttemptIsToldFromRepeatsOfLeasedCalls() {
        Duration lease = Duration.ofMinutes(1);
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> operations
                            .call("refunds", "key", "request")
                            .leased(lease)
                            .run(FAIL))
                    .hasMessage("no paper");
        }

        assertThat(moved())
                .containsOnly(
                        entry(
                                "idempotency.attempt.failures attempt=first exception=IllegalStateException scope=refunds",
                                1.0),
                        entry(
                                "idempotency.attempt.failures attempt=repeat exception=IllegalStateException scope=refunds",
                                1.0),
                        entry("idempotency.calls outcome=failed scope=refunds", 2.0));
    }

    @Test
    void theFirstAttemptIsToldFromRepeatsOfDeliveries() {
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> inbox.handleOnce("invoices", "m-1", FAIL::run))
                    .hasMessage("no paper");
        }

        assertThat(moved())
                .containsOnly(
                        entry(
                                "idempotency.inbox.attempt.failures attempt=first consumer=invoices exception=IllegalStateException",
                                1.0),
                        entry(
                                "idempotency.inbox.attempt.failures attempt=repeat consumer=invoices exception=IllegalStateException",
                                1.0),
                        entry("idempotency.inbox.messages consumer=invoices outcome=failed", 2.0));
    }

    @Test
    void anAttemptThatItsOuterTransactionTakesBackHasFailedWithoutAnException() {
        application.transaction().executeWithoutResult(status -> {
            operations.call("orders", "key", "request").run(() -> {});
            inbox.handleOnce("invoices", "m-1", () -> {});
            status.setRollbackOnly();
        });

        assertThat(moved())
                .containsOnly(
                        entry("idempotency.attempt.failures attempt=first exception=none scope=orders", 1.0),
                        entry("idempotency.calls outcome=failed scope=orders", 1.0),
                        entry("idempotency.inbox.attempt.failures attempt=first consumer=invoices exception=none", 1.0),
                        entry("idempotency.inbox.messages consumer=invoices outcome=failed", 1.0));
    }

    @Test
    void whatFailsBeforeItsKeyIsClaimedIsNoAttempt() {
        assertThatThrownBy(() -> application
                        .transaction()
                        .executeWithoutResult(status -> operations
                                .call("refunds", "key", "request")
                                .leased(Duration.ofMinutes(1))
                                .run(() -> {})))
                .isInstanceOf(TransactionMismatchException.class);

        assertThat(moved()).containsOnly(entry("idempotency.calls outcome=failed scope=refunds", 1.0));
    }

    @Test
    void repeatedExecutionsOfACallAreCountedAndLogged() {
        AtomicInteger executions = new AtomicInteger();
        try (LogLines log = LogLines.of("io.idempotency.calls")) {
            operations.call("orders", "key", "request").run(() -> failTwice(executions));

            assertThat(log.texts())
                    .satisfiesExactly(
                            line -> assertThat(line)
                                    .matches(
                                            "INFO Call hash:\\S{36} in orders is repeated: execution 1 failed with SQLSTATE 40001"),
                            line -> assertThat(line)
                                    .matches(
                                            "INFO Call hash:\\S{36} in orders is repeated: execution 2 failed with SQLSTATE 40001"),
                            line -> assertThat(line).matches("DEBUG Call hash:\\S{36} in orders was executed"));
            assertThat(LogLines.pairsOf(log.all().get(1)))
                    .containsOnlyKeys("scope", "key_hash", "execution", "sqlstate", "exception")
                    .containsEntry("execution", 2)
                    .containsEntry("sqlstate", "40001")
                    .containsEntry("exception", CannotAcquireLockException.class.getName());
        }

        assertThat(moved())
                .containsOnly(
                        entry("idempotency.calls outcome=executed scope=orders", 1.0),
                        entry("idempotency.retries scope=orders sqlstate=40001", 2.0));
    }

    @Test
    void repeatedExecutionsOfADeliveryAreCountedAndLogged() {
        AtomicInteger executions = new AtomicInteger();
        try (LogLines log = LogLines.of("io.idempotency.inbox")) {
            inbox.handleOnce("invoices", "m-1", () -> failTwice(executions));

            assertThat(log.texts())
                    .hasSize(3)
                    .first()
                    .asString()
                    .matches(
                            "INFO Message hash:\\S{36} for invoices is handled again: execution 1 failed with SQLSTATE 40001");
            assertThat(LogLines.pairsOf(log.all().get(0)))
                    .containsOnlyKeys("consumer", "message_id_hash", "execution", "sqlstate", "exception");
        }

        assertThat(moved())
                .containsOnly(
                        entry("idempotency.inbox.messages consumer=invoices outcome=handled", 1.0),
                        entry("idempotency.inbox.retries consumer=invoices sqlstate=40001", 2.0));
    }

    private void failTwice(AtomicInteger executions) {
        if (executions.incrementAndGet() <= 2) {
            application
                    .bean(JdbcTemplate.class)
                    .execute("do $$ begin raise exception 'on purpose' using errcode = '40001'; end $$");
        }
    }

    private Map<String, Double> moved() {
        return Measurements.of(registry).since(before);
    }
}
