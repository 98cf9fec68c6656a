package io.idempotency.boot.contract;

import java.util.List;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.idempotency.boot.contract.LeasedPayments.Booked;
import io.idempotency.test.CuttingProxy;
import io.idempotency.test.CuttingProxy.Point;

import static org.assertj.core.api.Assertions.assertThat;

/** How often a method may be executed says nothing about how often its completion may be written. */
@ContractTest
class LeaseCompletionTest {

    private final CuttingProxy proxy;

    private final ContractApplication application;

    LeaseCompletionTest(ContractApplications applications) {
        proxy = applications.proxy();
        application = applications.start(List.of(LeasedPayments.class), "idempotency.retry.max-attempts=1");
    }

    @ParameterizedTest
    @EnumSource
    void theCompletionOfAMethodThatReturnedIsWritten(Point point) {
        LeasedPayments payments = application.bean(LeasedPayments.class);
        int before = payments.executions();
        application.interruption().afterEffectDo(() -> proxy.cutNext("COMMIT", point));

        Booked booked = null;
        Throwable failure = null;
        try {
            booked = payments.payWithoutTransaction("key");
        } catch (RuntimeException thrown) {
            failure = thrown;
        }
        application.interruption().reset();
        Booked repeat = payments.payWithoutTransaction("key");

        assertThat(payments.executions() - before)
                .as("outside calls; the first call got %s", failure)
                .isEqualTo(1);
        assertThat(booked).as("the first call got %s", failure).isEqualTo(repeat);
    }
}
