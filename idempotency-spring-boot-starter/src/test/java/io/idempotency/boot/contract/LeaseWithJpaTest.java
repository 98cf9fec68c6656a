package io.idempotency.boot.contract;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

import io.idempotency.boot.contract.LeasedPayments.Booked;
import io.idempotency.test.CuttingProxy;
import io.idempotency.test.CuttingProxy.Point;

import static org.assertj.core.api.Assertions.assertThat;

/** JPA says "rolled back" of a COMMIT that nobody answered. */
@ContractTest
class LeaseWithJpaTest {

    private final CuttingProxy proxy;

    private final ContractApplication application;

    private final LeasedPayments payments;

    LeaseWithJpaTest(ContractApplications applications) {
        proxy = applications.proxy();
        application = applications.start(List.of(LeasedPayments.class, TransactionKind.WithJpa.class));
        payments = application.bean(LeasedPayments.class);
        assertThat(application.bean(PlatformTransactionManager.class)).isInstanceOf(JpaTransactionManager.class);
    }

    @Test
    void theCommitOfACompletionIsResolved() {
        application.interruption().afterEffectDo(() -> proxy.cutNext("COMMIT", Point.BEFORE_ITS_ANSWER_IS_DELIVERED));

        Booked booked = payments.pay("key");

        assertThat(payments.pay("key")).isEqualTo(booked);
    }

    @Test
    void theCommitOfACompletionIsResolvedWithoutRunningTheMethodAgain() {
        int before = payments.executions();
        application.interruption().afterEffectDo(() -> {
            if (payments.executions() == before + 1) {
                proxy.cutNext("COMMIT", Point.BEFORE_ITS_ANSWER_IS_DELIVERED);
            }
        });

        Booked booked = payments.payRepeatably("key");

        assertThat(payments.executions() - before).isEqualTo(1);
        assertThat(payments.payRepeatably("key")).isEqualTo(booked);
    }
}
