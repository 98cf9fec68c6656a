package io.idempotency.boot.contract;

import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import io.idempotency.Outcome;
import io.idempotency.boot.contract.LeasedPayments.Booked;
import io.idempotency.boot.contract.LeasedPayments.Completion;
import io.idempotency.test.CuttingProxy;
import io.idempotency.test.CuttingProxy.Point;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The connection is cut while a lease is claimed or completed: the method runs once all the same. */
@ContractTest
class LeaseWithLostConnectionTest {

    private final CuttingProxy proxy;

    private final ContractApplication application;

    private final LeasedPayments payments;

    LeaseWithLostConnectionTest(ContractApplications applications) {
        proxy = applications.proxy();
        application = applications.start(List.of(LeasedPayments.class));
        payments = application.bean(LeasedPayments.class);
    }

    @ParameterizedTest
    @EnumSource
    @Tag("race")
    void theCommitOfAClaimIsSentAgainBeforeTheMethodRuns(Completion completion) {
        assertRunsOnce(completion, () -> proxy.cutNext("COMMIT", Point.BEFORE_IT_IS_SENT));
        assertThat(application.outcomes().retries()).hasSize(1);
    }

    /** Once the claim is committed, its row does not tell any more what it was before. */
    @ParameterizedTest
    @EnumSource
    void aClaimAfterAFailureCountsAsSuchWhereverItsCommitGotLost(Point point) {
        application.interruption().beforeEffectDo(() -> {
            throw new IllegalStateException("no answer");
        });
        assertThatThrownBy(() -> payments.pay("key")).hasMessage("no answer");
        application.interruption().reset();
        int cutsBefore = proxy.cuts();
        proxy.cutNext("COMMIT", point);

        assertThat(payments.pay("key").attempt()).isEqualTo(2);

        assertThat(proxy.cuts() - cutsBefore).isEqualTo(1);
        assertThat(application.effects()).isEqualTo(1);
        assertThat(application.outcomes().all()).containsExactly(Outcome.FAILED, Outcome.RETRIED);
    }

    @ParameterizedTest
    @CsvSource({"IN_THE_TRANSACTION, BEFORE_ITS_ANSWER_IS_DELIVERED", "AFTER_THE_METHOD, BEFORE_IT_IS_SENT"})
    @Tag("race")
    void theCommitOfACompletionIsResolvedWithoutRunningTheMethodAgain(Completion completion, Point point) {
        assertRunsOnce(
                completion, () -> application.interruption().afterEffectDo(() -> proxy.cutNext("COMMIT", point)));
    }

    private void assertRunsOnce(Completion completion, Runnable cut) {
        int cutsBefore = proxy.cuts();
        int executionsBefore = payments.executions();
        cut.run();

        Booked booked = completion.pay(payments, "key");

        assertThat(booked.attempt()).isEqualTo(1);
        assertThat(completion.pay(payments, "key")).isEqualTo(booked);
        assertThat(proxy.cuts() - cutsBefore).isEqualTo(1);
        assertThat(payments.executions() - executionsBefore).isEqualTo(1);
        assertThat(application.effects()).isEqualTo(1);
        assertThat(application.outcomes().all()).containsExactly(Outcome.EXECUTED, Outcome.REPLAYED);
    }

    @ParameterizedTest
    @EnumSource
    void aFinalFailureIsReportedAsSuchWhereverItsCommitGotLost(Point point) {
        int cutsBefore = proxy.cuts();
        application.interruption().beforeEffectDo(() -> {
            proxy.cutNext("COMMIT", point);
            throw new LeasedPayments.Declined("no money");
        });

        assertThatThrownBy(() -> payments.payWithoutTransaction("key")).hasMessage("no money");

        assertThat(proxy.cuts() - cutsBefore).isEqualTo(1);
        assertThat(application.request("key")).containsEntry("status", "failed_final");
        assertThat(application.outcomes().all()).containsExactly(Outcome.FAILED_FINAL);
    }
}
