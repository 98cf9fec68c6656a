package io.idempotency.boot.contract;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.idempotency.LeaseLostException;
import io.idempotency.Outcome;
import io.idempotency.RequestInProgressException;
import io.idempotency.boot.contract.LeasedPayments.Booked;
import io.idempotency.test.ConcurrentCalls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A call that meets the active lease of another process. */
@ContractTest
class LeaseWaitTest {

    /** Longer than a busy machine takes from the claim of a lease to the answer of a call that meets it. */
    private static final Duration SLOWNESS = Duration.ofSeconds(20);

    private static final int SAMPLES = 60;

    private final ContractApplications applications;

    private final ContractApplication holder;

    private final ContractApplication waiter;

    private Gate gate;

    /** The waiter has one connection, so that it cannot hold one between its looks unnoticed. */
    LeaseWaitTest(ContractApplications applications) {
        this.applications = applications;
        holder = applications.start(List.of(LeasedPayments.class));
        waiter = applications.start(
                List.of(LeasedPayments.class),
                "spring.datasource.hikari.maximum-pool-size=1",
                "spring.datasource.hikari.connection-timeout=2000",
                "spring.datasource.hikari.data-source-properties.ApplicationName=waiter");
    }

    @BeforeEach
    void letTheHolderHold() {
        gate = new Gate();
        holder.interruption().beforeEffectDo(gate::holdTheFirst);
    }

    @Test
    void holdsNoConnectionBetweenItsLooks() {
        ConcurrentCalls<Booked> held = held(payments -> payments.pay("key"));
        ConcurrentCalls<Booked> waiting =
                ConcurrentCalls.start(1, () -> paymentsOf(waiter).pay("key"));
        awaitBetweenLooks();

        Booked other = paymentsOf(waiter).pay("another key");

        assertThat(activeConnectionsOfWaiter())
                .as("connections in use, seen again and again")
                .filteredOn(active -> active == 0)
                .hasSizeGreaterThan(SAMPLES / 2);
        assertThat(waiting.isDone()).isFalse();
        gate.open();
        assertThat(waiting.await().requireAllSucceeded())
                .isEqualTo(held.await().requireAllSucceeded())
                .doesNotContain(other);
    }

    /** Each would block a thread of the server. */
    @Test
    void isRefusedAtOnceIfAsManyWaitAsMay() {
        ContractApplication busy =
                applications.start(List.of(LeasedPayments.class), "idempotency.max-waiting-in-all=2");
        CountDownLatch mayEnd = new CountDownLatch(1);
        holder.interruption()
                .beforeEffectDo(() -> Awaitility.await().atMost(SLOWNESS).until(() -> mayEnd.getCount() == 0));
        ConcurrentCalls<Booked> held =
                ConcurrentCalls.start(6, index -> paymentsOf(holder).pay("key-" + index));
        Awaitility.await().until(() -> holder.requests() == 6);

        ConcurrentCalls<Booked> calls =
                ConcurrentCalls.start(6, index -> paymentsOf(busy).pay("key-" + index));
        Awaitility.await().until(() -> busy.outcomes().all().size() == 4);
        mayEnd.countDown();

        assertThat(calls.await().failures())
                .hasSize(4)
                .allSatisfy(refused -> assertThat(refused)
                        .isInstanceOf(RequestInProgressException.class)
                        .hasMessageContaining("idempotency.max-waiting-in-all = 2"));
        assertThat(calls.await().values()).hasSize(2);
        assertThat(held.await().requireAllSucceeded()).hasSize(6);
    }

    @Test
    void isToldWhenToComeBackIfTheWaitWasInVain() {
        ConcurrentCalls<Booked> held = held(payments -> payments.payImpatiently("key"));

        assertThatThrownBy(() -> paymentsOf(waiter).payImpatiently("key"))
                .isInstanceOfSatisfying(
                        RequestInProgressException.class,
                        refused -> assertThat(refused.retryAfter()).hasSeconds(10))
                .hasMessageContaining("holds its lease")
                .hasMessageContaining("did not end within");

        assertThat(waiter.outcomes().all()).containsExactly(Outcome.IN_PROGRESS);
        gate.open();
        assertThat(held.await().requireAllSucceeded()).hasSize(1);
        assertThat(holder.effects()).isEqualTo(1);
    }

    @Test
    void isToldTheSameInTheProcessOfTheHolder() {
        ConcurrentCalls<Booked> held = held(payments -> payments.payImpatiently("key"));

        assertThatThrownBy(() -> paymentsOf(holder).payImpatiently("key"))
                .isInstanceOfSatisfying(
                        RequestInProgressException.class,
                        refused -> assertThat(refused.retryAfter()).hasSeconds(10));

        gate.open();
        assertThat(held.await().requireAllSucceeded()).hasSize(1);
        assertThat(holder.outcomes().all()).containsExactly(Outcome.IN_PROGRESS, Outcome.EXECUTED);
    }

    /** The lease expires before the wait is over, and the holder still runs. */
    @Test
    void takesOverAnExpiredLeaseInTheProcessOfTheHolder() {
        ConcurrentCalls<Booked> held = held(payments -> payments.payBriefly("key"));

        Booked booked = paymentsOf(holder).payBriefly("key");
        gate.open();

        assertThat(booked.attempt()).isEqualTo(2);
        assertThat(held.await().failures()).singleElement().isInstanceOf(LeaseLostException.class);
        assertThat(holder.outcomes().all()).containsExactly(Outcome.RECOVERED, Outcome.LEASE_LOST);
        assertThat(holder.effects()).isEqualTo(1);
    }

    @Test
    void isToldAtOnceIfItDoesNotWantToWait() {
        ConcurrentCalls<Booked> held = held(payments -> payments.payOrFailFast("key"));

        ConcurrentCalls<Booked> refused =
                ConcurrentCalls.start(1, () -> paymentsOf(waiter).payOrFailFast("key"));

        assertThat(refused.await(SLOWNESS).failures()).singleElement().isInstanceOf(RequestInProgressException.class);
        assertThat(waiter.outcomes().all()).containsExactly(Outcome.IN_PROGRESS);
        gate.open();
        assertThat(held.await().requireAllSucceeded()).hasSize(1);
    }

    private List<Integer> activeConnectionsOfWaiter() {
        HikariPoolMXBean pool = waiter.bean(HikariDataSource.class).getHikariPoolMXBean();
        List<Integer> samples = new ArrayList<>();
        Awaitility.await()
                .pollInterval(Duration.ofMillis(10))
                .until(
                        () -> {
                            samples.add(pool.getActiveConnections());
                            return samples.size();
                        },
                        size -> size == SAMPLES);
        return List.copyOf(samples);
    }

    /** It has looked, and its transaction has ended in the same message. */
    private void awaitBetweenLooks() {
        Awaitility.await("the waiter pauses")
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(10))
                .untilAsserted(() -> assertThat(holder.database().backends().activity())
                        .filteredOn(backend -> backend.applicationName().equals("waiter"))
                        .singleElement()
                        .satisfies(backend -> assertThat(backend.state()).isEqualTo("idle"))
                        .satisfies(backend -> assertThat(backend.query()).isEqualTo("COMMIT")));
    }

    /** A call of the holder that has begun. */
    private ConcurrentCalls<Booked> held(Function<LeasedPayments, Booked> call) {
        ConcurrentCalls<Booked> held = ConcurrentCalls.start(1, () -> call.apply(paymentsOf(holder)));
        gate.awaitHeld();
        return held;
    }

    private static LeasedPayments paymentsOf(ContractApplication application) {
        return application.bean(LeasedPayments.class);
    }
}
