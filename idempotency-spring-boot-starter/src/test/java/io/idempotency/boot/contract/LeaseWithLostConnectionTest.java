package io.idempotency.boot.contract;

import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import io.idempotency.Outcome;
import io.idempotency.boot.contract.LeasedPayments.Booked;
import io.idempotency.boot.contract.LeasedPayments.Completion;
import io.idempotency.test.CuttingProxy;
import io.idempotency.test.CuttingProxy.Point;
import io.idempotency.test.TestSize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The connection is cut while a lease is claimed or completed: the method runs once all the same. */
@ContractTest
class LeaseWithLostConnectionTest {

    private static final int ROUNDS = TestSize.pick(10, 200);

    private final CuttingProxy proxy;

    private final ContractApplication application;

    private final LeasedPayments payments;

    LeaseWithLostConnectionTest(ContractApplications applications) {
        proxy = applications.proxy();
        application = applications.start(List.of(LeasedPayments.class));
        payments = application.bean(LeasedPayments.class);
    }

    @ParameterizedTest
    @CsvSource({
        "IN_THE_TRANSACTION, BEFORE_IT_IS_SENT",
        "IN_THE_TRANSACTION, BEFORE_ITS_ANSWER_IS_DELIVERED",
        "AFTER_THE_METHOD, BEFORE_IT_IS_SENT",
        "AFTER_THE_METHOD, BEFORE_ITS_ANSWER_IS_DELIVERED"
    })
    @Tag("race")
    void theCommitOfAClaimIsResolvedBeforeTheMethodRuns(Completion completion, Point point) {
        assertRunsOnce(completion, () -> proxy.cutNext("COMMIT", point));

        assertThat(application.outcomes().retries()).hasSize(ROUNDS);
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
    @CsvSource({
        "IN_THE_TRANSACTION, BEFORE_ITS_ANSWER_IS_DELIVERED",
        "AFTER_THE_METHOD, BEFORE_IT_IS_SENT",
        "AFTER_THE_METHOD, BEFORE_ITS_ANSWER_IS_DELIVERED"
    })
    @Tag("race")
    void theCommitOfACompletionIsResolvedWithoutRunningTheMethodAgain(Completion completion, Point point) {
        assertRunsOnce(
                completion, () -> application.interruption().afterEffectDo(() -> proxy.cutNext("COMMIT", point)));
    }

    private void assertRunsOnce(Completion completion, Runnable cut) {
        int cutsBefore = proxy.cuts();
        int executionsBefore = payments.executions();
        for (int round = 0; round < ROUNDS; round++) {
            String key = "round-" + round;
            cut.run();

            Booked booked = completion.pay(payments, key);

            assertThat(booked.attempt()).isEqualTo(1);
            assertThat(completion.pay(payments, key)).isEqualTo(booked);
        }
        assertThat(proxy.cuts() - cutsBefore).isEqualTo(ROUNDS);
        assertThat(payments.executions() - executionsBefore).isEqualTo(ROUNDS);
        assertThat(application.effects()).isEqualTo(ROUNDS);
        assertThat(application.outcomes().all()).hasSize(2 * ROUNDS).containsOnly(Outcome.EXECUTED, Outcome.REPLAYED);
    }

    /** The effect is gone with the transaction, and only the method could make it again. */
    @Test
    void aCompletionThatNeverReachedTheServerIsLeftToTheNextAttempt() {
        int cutsBefore = proxy.cuts();
        application.interruption().afterEffectDo(() -> proxy.cutNext("COMMIT", Point.BEFORE_IT_IS_SENT));

        assertThatThrownBy(() -> payments.pay("key")).isInstanceOf(RuntimeException.class);

        assertThat(proxy.cuts() - cutsBefore).isEqualTo(1);
        assertThat(application.effects()).isZero();
        assertThat(application.request("key")).containsEntry("status", "failed_retryable");
        application.interruption().reset();
        assertThat(payments.pay("key").attempt()).isEqualTo(2);
        assertThat(application.effects()).isEqualTo(1);
        assertThat(application.outcomes().all()).containsExactly(Outcome.FAILED, Outcome.RETRIED);
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
