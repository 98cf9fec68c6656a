package io.idempotency.boot.contract;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.idempotency.Outcome;
import io.idempotency.OutcomeUnknownException;
import io.idempotency.boot.contract.Callers.Call;
import io.idempotency.boot.testing.Callbacks;
import io.idempotency.inbox.Inbox;
import io.idempotency.messaging.MessageOutcome;
import io.idempotency.messaging.MessageReceived;
import io.idempotency.observation.CallCompleted;
import io.idempotency.test.CuttingProxy;
import io.idempotency.test.CuttingProxy.Point;

import static org.assertj.core.api.Assertions.assertThat;

/** The database cannot be asked at once what became of a COMMIT, or not at all. */
@ContractTest
@Tag("race")
@Tag("full")
class UnknownOutcomeTest {

    private static final PayCommand COMMAND = new PayCommand("a1", 5);

    private final ContractApplications applications;

    private final CuttingProxy proxy;

    private final ContractApplication application;

    UnknownOutcomeTest(ContractApplications applications) {
        this.applications = applications;
        proxy = applications.proxy();
        application = applications.start(
                List.of(LeasedPayments.class),
                "spring.datasource.hikari.maximum-pool-size=4",
                "spring.datasource.hikari.connection-timeout=250");
    }

    @Test
    void aPoolThatOthersHaveEmptiedIsWaitedForAndADatabaseThatIsGoneLeavesTheOutcomeUnknown() throws Exception {
        waitForThePool();
        applications.clear();
        loseTheDatabase();
    }

    private void waitForThePool() throws SQLException {
        HikariDataSource pool = application.bean(HikariDataSource.class);
        try (Callers callers = Callers.onPlatformThreads();
                Connection first = pool.getConnection();
                Connection second = pool.getConnection();
                Connection third = pool.getConnection()) {
            Gate gate = new Gate();
            application.interruption().afterEffectDo(() -> {
                gate.holdTheFirst();
                proxy.cutNext("COMMIT", Point.BEFORE_ITS_ANSWER_IS_DELIVERED);
            });
            Call<Receipt> paying = callers.start(() -> application.payments().pay("key", COMMAND));
            gate.awaitHeld();
            // So that the pool has no other connection in the place of the one that is lost.
            pool.getHikariConfigMXBean().setMaximumPoolSize(3);
            gate.open();
            awaitThatTheCallerGaveUpOnce(pool.getHikariPoolMXBean());
            awaitThatTheCallerGaveUpOnce(pool.getHikariPoolMXBean());
            assertThat(List.of(first, second, third)).doesNotContainNull();
            pool.getHikariConfigMXBean().setMaximumPoolSize(4);

            Receipt receipt = paying.answer();

            application.interruption().reset();
            assertThat(application.payments().pay("key", COMMAND)).isEqualTo(receipt);
        }
        assertThat(application.effects()).isEqualTo(1);
    }

    private static void awaitThatTheCallerGaveUpOnce(HikariPoolMXBean pool) {
        awaitWaiting(1, pool);
        awaitWaiting(0, pool);
    }

    /** Often enough for the pauses between two tries, which are milliseconds. */
    private static void awaitWaiting(int threads, HikariPoolMXBean pool) {
        Awaitility.await()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .until(() -> pool.getThreadsAwaitingConnection() == threads);
    }

    private void loseTheDatabase() {
        // A busy server takes longer for a new connection than a caller above was to wait for the pool.
        application.bean(HikariDataSource.class).getHikariConfigMXBean().setConnectionTimeout(5_000);
        LeasedPayments leased = application.bean(LeasedPayments.class);
        Inbox inbox = application.bean(Inbox.class);
        CyclicBarrier allAtTheirEnd = new CyclicBarrier(4, proxy::close);
        application.interruption().afterEffectDo(() -> atCommit(() -> meet(allAtTheirEnd)));
        try (Callers callers = Callers.onPlatformThreads()) {
            List<Call<?>> calls = List.of(
                    callers.start(() -> application.payments().pay("key", COMMAND)),
                    callers.start(() -> leased.pay("key")),
                    callers.start(() -> leased.payWithoutTransaction("key")),
                    callers.start(() -> inbox.handleOnce("inbox", "id", () -> {
                        application.bean(JdbcTemplate.class).queryForList("select 1");
                        atCommit(() -> meet(allAtTheirEnd));
                    })));
            Awaitility.await().atMost(Duration.ofSeconds(90)).untilAsserted(() -> {
                assertThat(application.outcomes().all()).hasSize(3);
                assertThat(application.outcomes().messages()).hasSize(1);
            });

            for (Call<?> call : calls) {
                assertThat(call.failure())
                        .isInstanceOfSatisfying(
                                OutcomeUnknownException.class,
                                unknown -> assertThat(unknown.retryAfter()).isPositive())
                        .hasMessageStartingWith("It is not known whether the call for the ")
                        .hasMessageContaining("Repeat this call with the same key")
                        .hasCauseInstanceOf(RuntimeException.class);
            }
        }
        assertThat(application.outcomes().all()).hasSize(3).containsOnly(Outcome.FAILED);
        assertThat(application.outcomes().events())
                .extracting(CallCompleted::failure)
                .hasOnlyElementsOfType(OutcomeUnknownException.class);
        assertThat(application.outcomes().messages())
                .extracting(MessageReceived::outcome)
                .containsExactly(MessageOutcome.FAILED);
    }

    /** Where there is a transaction; otherwise when the method returns. */
    private static void atCommit(Runnable action) {
        if (!TransactionSynchronizationManager.isActualTransactionActive()) {
            action.run();
            return;
        }
        Callbacks.beforeCompletion(action);
    }

    private static void meet(CyclicBarrier barrier) {
        try {
            barrier.await(20, TimeUnit.SECONDS);
        } catch (InterruptedException | BrokenBarrierException | TimeoutException missing) {
            throw new AssertionError(missing);
        }
    }
}
