package io.idempotency.boot.contract;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.idempotency.IdempotencyAdministration;
import io.idempotency.IdempotencyAdministration.Reason;
import io.idempotency.IdempotencyContext;
import io.idempotency.Intent;
import io.idempotency.LeaseLostException;
import io.idempotency.Outcome;
import io.idempotency.boot.contract.LeasedPayments.Booked;
import io.idempotency.boot.contract.LeasedPayments.Completion;
import io.idempotency.test.ConcurrentCalls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

/** A holder that was too slow, and who took its key over: another process, or an operator. */
@ContractTest
class LeaseLostTest {

    private static final Reason REASON = new Reason("ada", "the bank says so");

    private final ContractApplication holder;

    private final ContractApplication taker;

    LeaseLostTest(ContractApplications applications) {
        holder = applications.start(List.of(LeasedPayments.class));
        taker = applications.start(List.of(LeasedPayments.class));
    }

    @ParameterizedTest
    @EnumSource
    void whoTakesOverIsTheOnlyOneThatCompletes(Completion completion) {
        Gate gate = new Gate();
        holder.interruption().afterEffectDo(gate::holdTheFirst);
        ConcurrentCalls<Booked> slow = ConcurrentCalls.start(1, () -> completion.pay(paymentsOf(holder), "key"));
        gate.awaitHeld();
        holder.expireLease("key");

        Booked booked = completion.pay(paymentsOf(taker), "key");
        gate.open();

        assertThat(slow.await().failures()).singleElement().isInstanceOf(LeaseLostException.class);
        assertThat(booked.attempt()).isEqualTo(2);
        assertThat(completion.pay(paymentsOf(holder), "key")).isEqualTo(booked);
        assertThat(taker.outcomes().all()).containsExactly(Outcome.RECOVERED);
        assertThat(holder.outcomes().all()).containsExactly(Outcome.LEASE_LOST, Outcome.REPLAYED);
        if (completion == Completion.IN_THE_TRANSACTION) {
            assertThat(holder.effects()).as("the slow one is rolled back").isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aHolderWhoseLeaseExpiredButWasNotTakenOverCompletes(Completion completion) {
        holder.interruption().beforeEffectDo(() -> holder.expireLease("key"));

        Booked booked = completion.pay(paymentsOf(holder), "key");

        assertThat(completion.pay(paymentsOf(taker), "key")).isEqualTo(booked);
        assertThat(holder.outcomes().all()).containsExactly(Outcome.EXECUTED);
        assertThat(holder.effects()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void theFailureOfAHolderThatWasTakenOverFromChangesNothing(Completion completion) {
        AtomicReference<Booked> booked = new AtomicReference<>();
        holder.interruption().beforeEffectDo(() -> {
            holder.expireLease("key");
            booked.set(ConcurrentCalls.run(1, () -> completion.pay(paymentsOf(taker), "key"))
                    .requireAllSucceeded()
                    .get(0));
            throw new IllegalStateException("too late");
        });

        assertThatThrownBy(() -> completion.pay(paymentsOf(holder), "key")).hasMessage("too late");

        assertThat(holder.outcomes().all()).containsExactly(Outcome.FAILED);
        assertThat(completion.pay(paymentsOf(taker), "key")).isEqualTo(booked.get());
    }

    @ParameterizedTest
    @EnumSource
    void aRequestThatAnOperatorCompletedIsNotItsHoldersAnyMore(Completion completion) {
        Booked told = new Booked(new UUID(0, 42), 1);
        holder.interruption().afterEffectDo(() -> {
            holder.expireLease("key");
            Intent intent = IdempotencyContext.current().intent();
            holder.bean(IdempotencyAdministration.class)
                    .completeStale(intent, "{\"payment\": \"" + told.payment() + "\", \"attempt\": 1}", REASON);
        });

        assertThatThrownBy(() -> completion.pay(paymentsOf(holder), "key")).isInstanceOf(LeaseLostException.class);

        assertThat(completion.pay(paymentsOf(holder), "key")).isEqualTo(told);
        assertThat(holder.outcomes().all()).containsExactly(Outcome.LEASE_LOST, Outcome.REPLAYED);
        assertThat(holder.effects()).isEqualTo(completion == Completion.IN_THE_TRANSACTION ? 0 : 1);
    }

    @ParameterizedTest
    @EnumSource
    void anExtendedLeaseLastsFromNow(Completion completion) {
        AtomicReference<Boolean> longer = new AtomicReference<>();
        holder.interruption().beforeEffectDo(() -> {
            IdempotencyContext.current().extendLease(Duration.ofHours(2));
            longer.set(holder.database()
                    .jdbc()
                    .queryForObject(
                            "select locked_until - clock_timestamp() between interval '119 minutes' and interval '2 hours'"
                                    + " from idempotency.idempotency_request",
                            Boolean.class));
        });

        completion.pay(paymentsOf(holder), "key");

        assertThat(longer.get()).isTrue();
        assertThat(holder.outcomes().all()).containsExactly(Outcome.EXECUTED);
    }

    @ParameterizedTest
    @EnumSource
    void aLeaseThatWasTakenOverCannotBeExtended(Completion completion) {
        Gate gate = new Gate();
        AtomicReference<Throwable> refused = new AtomicReference<>();
        holder.interruption().beforeEffectDo(() -> {
            gate.holdTheFirst();
            refused.set(catchThrowable(() -> IdempotencyContext.current().extendLease(Duration.ofHours(2))));
            throw (LeaseLostException) refused.get();
        });
        ConcurrentCalls<Booked> slow = ConcurrentCalls.start(1, () -> completion.pay(paymentsOf(holder), "key"));
        gate.awaitHeld();
        holder.expireLease("key");

        Booked booked = completion.pay(paymentsOf(taker), "key");
        gate.open();

        assertThat(slow.await().failures()).containsExactly(refused.get());
        assertThat(refused.get()).isInstanceOf(LeaseLostException.class);
        assertThat(completion.pay(paymentsOf(taker), "key")).isEqualTo(booked);
        assertThat(holder.outcomes().all()).containsExactly(Outcome.LEASE_LOST);
        assertThat(holder.effects()).isEqualTo(1);
    }

    @Test
    void aCallWithoutALeaseHasNothingToExtend() {
        holder.interruption()
                .beforeEffectDo(() -> assertThatThrownBy(
                                () -> IdempotencyContext.current().extendLease(Duration.ofHours(2)))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("key 'key' in scope 'payments' holds no lease"));

        holder.payments().pay("key", new PayCommand("a1", 5));

        assertThat(holder.outcomes().all()).containsExactly(Outcome.EXECUTED);
    }

    private static LeasedPayments paymentsOf(ContractApplication application) {
        return application.bean(LeasedPayments.class);
    }
}
