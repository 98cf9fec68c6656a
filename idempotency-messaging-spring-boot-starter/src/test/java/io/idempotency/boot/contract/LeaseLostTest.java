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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A holder that was too slow. */
@ContractTest
class LeaseLostTest {

    private static final Reason REASON = new Reason("ada", "the bank says so");

    private final ContractApplication application;

    private final LeasedPayments payments;

    private final ContractApplications applications;

    LeaseLostTest(ContractApplications applications) {
        this.applications = applications;
        application = applications.start(List.of(LeasedPayments.class));
        payments = application.bean(LeasedPayments.class);
    }

    @ParameterizedTest
    @EnumSource
    void aHolderWhoseLeaseExpiredButWasNotTakenOverCompletes(Completion completion) {
        application.interruption().beforeEffectDo(() -> application.expireLease("key"));

        Booked booked = completion.pay(payments, "key");

        assertThat(completion.pay(payments, "key")).isEqualTo(booked);
        assertThat(application.outcomes().all()).containsExactly(Outcome.EXECUTED, Outcome.REPLAYED);
        assertThat(application.effects()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void aRequestThatAnOperatorCompletedIsNotItsHoldersAnyMore(Completion completion) {
        Booked told = new Booked(new UUID(0, 42), 1);
        application.interruption().afterEffectDo(() -> {
            application.expireLease("key");
            Intent intent = IdempotencyContext.current().intent();
            application
                    .bean(IdempotencyAdministration.class)
                    .completeStale(intent, "{\"payment\": \"" + told.payment() + "\", \"attempt\": 1}", REASON);
        });

        assertThatThrownBy(() -> completion.pay(payments, "key")).isInstanceOf(LeaseLostException.class);

        assertThat(completion.pay(payments, "key")).isEqualTo(told);
        assertThat(application.outcomes().all()).containsExactly(Outcome.LEASE_LOST, Outcome.REPLAYED);
        assertThat(application.effects()).isEqualTo(completion == Completion.IN_THE_TRANSACTION ? 0 : 1);
    }

    /** Its completion is written before the COMMIT, because its manager may do something in between. */
    @Test
    void aHolderWithJpaIsToldToo() {
        ContractApplication jpa = TransactionKind.JPA.start(applications, List.of(LeasedPayments.class));
        LeasedPayments slow = jpa.bean(LeasedPayments.class);
        AtomicReference<Booked> taken = new AtomicReference<>();
        try (Callers callers = Callers.onPlatformThreads()) {
            jpa.interruption().afterEffectDo(() -> {
                jpa.expireLease("key");
                taken.set(callers.start(() -> payments.pay("key")).answer());
            });

            assertThatThrownBy(() -> slow.pay("key")).isInstanceOf(LeaseLostException.class);
        }

        assertThat(slow.pay("key")).isEqualTo(taken.get());
        assertThat(jpa.outcomes().all()).containsExactly(Outcome.LEASE_LOST, Outcome.REPLAYED);
        assertThat(application.effects()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void anExtendedLeaseLastsFromNow(Completion completion) {
        AtomicReference<Boolean> longer = new AtomicReference<>();
        application.interruption().beforeEffectDo(() -> {
            IdempotencyContext.current().extendLease(Duration.ofHours(2));
            longer.set(application
                    .database()
                    .jdbc()
                    .queryForObject(
                            "select locked_until - clock_timestamp() between interval '119 minutes' and interval '2 hours'"
                                    + " from idempotency.idempotency_request",
                            Boolean.class));
        });

        completion.pay(payments, "key");

        assertThat(longer.get()).isTrue();
        assertThat(application.outcomes().all()).containsExactly(Outcome.EXECUTED);
    }
}
