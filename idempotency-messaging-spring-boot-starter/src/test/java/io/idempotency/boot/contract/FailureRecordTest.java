package io.idempotency.boot.contract;

import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.FailureTranslator;
import io.idempotency.IdempotencyContext;
import io.idempotency.Idempotent;
import io.idempotency.KeyReusedException;
import io.idempotency.Outcome;
import io.idempotency.RecordedFailureException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/** Failures that stay, and failures that are only counted. */
@ContractTest
class FailureRecordTest {

    private final ContractApplication application;

    private final Wallet wallet;

    FailureRecordTest(ContractApplications applications) {
        application =
                applications.start(List.of(Wallet.class, Translator.class), "idempotency.record-failed-attempts=true");
        wallet = application.bean(Wallet.class);
    }

    @AfterEach
    void clear() {
        wallet.reset();
    }

    @Test
    void aFinalFailureIsRecordedAndReplayedWithoutRunningTheMethod() {
        assertThatThrownBy(() -> wallet.pay("key", -1)).isInstanceOf(NoFunds.class);

        RecordedFailureException recorded =
                catchThrowableOfType(RecordedFailureException.class, () -> wallet.pay("key", -1));

        assertThat(recorded.code()).isEqualTo(NoFunds.class.getName());
        assertThat(recorded.recordedMessage()).isEqualTo("no funds");
        assertThat(wallet.executions()).isEqualTo(1);
        assertThat(application.effects()).isZero();
        assertThat(application.outcomes().all()).containsExactly(Outcome.FAILED_FINAL, Outcome.FAILURE_REPLAYED);
    }

    @Test
    void aTranslatorLetsARepeatThrowTheApplicationsOwnException() {
        assertThatThrownBy(() -> wallet.payTranslated("key")).isInstanceOf(NoFunds.class);

        assertThatThrownBy(() -> wallet.payTranslated("key"))
                .isInstanceOf(NoFunds.class)
                .hasMessage("translated: no funds");
    }

    @Test
    void aFinalFailureBindsTheKeyToItsPayload() {
        assertThatThrownBy(() -> wallet.pay("key", -1)).isInstanceOf(NoFunds.class);

        assertThatThrownBy(() -> wallet.pay("key", 5)).isInstanceOf(KeyReusedException.class);
    }

    @Test
    void anotherFailureIsCountedAndTheNextAttemptMayHaveAnotherPayload() throws NoFunds {
        assertThatThrownBy(() -> wallet.pay("key", 0)).hasMessage("zero in attempt 1");
        assertThatThrownBy(() -> wallet.pay("key", 0)).hasMessage("zero in attempt 2");
        assertThat(application.effects()).isZero();
        assertThat(application.request("key"))
                .containsEntry("status", "failed_retryable")
                .containsEntry("attempt_count", 2);

        assertThat(wallet.pay("key", 7)).isEqualTo("paid 7 in attempt 3");
        assertThat(wallet.pay("key", 7)).isEqualTo("paid 7 in attempt 3");

        assertThat(application.effects()).isEqualTo(1);
        assertThat(application.request("key"))
                .containsEntry("status", "succeeded")
                .containsEntry("attempt_count", 3)
                .containsEntry("failure_code", null);
        assertThat(application.outcomes().all())
                .containsExactly(Outcome.FAILED, Outcome.FAILED, Outcome.RETRIED, Outcome.REPLAYED);
    }

    @Test
    void aFailureBehindASavepointOfAnOuterTransactionIsNotRecorded() {
        TransactionTemplate outer = application.transaction();

        outer.executeWithoutResult(
                status -> assertThatThrownBy(() -> wallet.payNested("key", -1)).isInstanceOf(NoFunds.class));

        assertThat(application.requests()).isZero();
        assertThat(application.outcomes().all()).containsExactly(Outcome.FAILED);
    }

    static class NoFunds extends Exception {

        private static final long serialVersionUID = 1L;

        NoFunds(String message) {
            super(message);
        }
    }

    static class Translator implements FailureTranslator {

        @Override
        public Exception toException(RecordedFailureException failure) {
            boolean ours = failure.intent()
                    .filter(intent -> intent.scope().equals("translated"))
                    .isPresent();
            return ours ? new NoFunds("translated: " + failure.recordedMessage()) : null;
        }
    }

    static class Wallet extends PayingBean {

        @Transactional
        @Idempotent(scope = "wallet", key = "#key", fingerprint = "#cents", finalFailures = NoFunds.class)
        public String pay(String key, int cents) throws NoFunds {
            int attempt = IdempotencyContext.current().attempt();
            makeEffect();
            if (cents < 0) {
                throw new NoFunds("no funds");
            }
            if (cents == 0) {
                throw new IllegalArgumentException("zero in attempt " + attempt);
            }
            return "paid " + cents + " in attempt " + attempt;
        }

        @Transactional(propagation = Propagation.NESTED)
        @Idempotent(scope = "nested-wallet", key = "#key", fingerprint = "#cents", finalFailures = NoFunds.class)
        public String payNested(String key, int cents) throws NoFunds {
            makeEffect();
            throw new NoFunds("no funds");
        }

        @Transactional
        @Idempotent(scope = "translated", key = "#key", finalFailures = NoFunds.class)
        public String payTranslated(String key) throws NoFunds {
            throw new NoFunds("no funds");
        }
    }
}
