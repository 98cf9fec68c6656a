package io.idempotency.boot.contract;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.ClaimAbandonedException;
import io.idempotency.Idempotent;
import io.idempotency.InvalidIdempotencyKeyException;
import io.idempotency.KeyReusedException;
import io.idempotency.MissingIdempotencyKeyException;
import io.idempotency.Outcome;
import io.idempotency.RequestInProgressException;
import io.idempotency.ResponseExpiredException;
import io.idempotency.ResponseNotStorableException;
import io.idempotency.TransactionFailedException;
import io.idempotency.UnreadableResponseException;
import io.idempotency.test.ConcurrentCalls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/** What a call meets, a test a row of the table in the contract, and the one outcome that is reported for it. */
@ContractTest
class CallOutcomeTest {

    private static final PayCommand COMMAND = new PayCommand("a1", 5);

    private final ContractApplication application;

    private final Payments payments;

    CallOutcomeTest(ContractApplications applications) {
        application = applications.start(List.of(Misbehaving.class));
        payments = application.payments();
    }

    @Test
    void aMissingKeyIsRefusedBeforeTheDatabaseIsTouched() {
        assertThatThrownBy(() -> payments.pay(null, COMMAND))
                .isInstanceOf(MissingIdempotencyKeyException.class)
                .hasMessageContainingAll("#key", "payments");

        assertNothingHappenedBut(Outcome.INVALID_KEY);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "   ", "line\nbreak", "zero\u200Bwidth"})
    void aMalformedKeyIsRefusedBeforeTheDatabaseIsTouched(String key) {
        assertThatThrownBy(() -> payments.pay(key, COMMAND)).isInstanceOf(InvalidIdempotencyKeyException.class);

        assertNothingHappenedBut(Outcome.INVALID_KEY);
    }

    @Test
    void anUnknownKeyIsClaimedAndTheMethodRuns() {
        Receipt receipt = payments.pay("key", COMMAND);

        assertThat(receipt.cents()).isEqualTo(5);
        assertThat(application.spent("a1")).isEqualTo(5);
        assertThat(application.outcomes().all()).containsExactly(Outcome.EXECUTED);
    }

    @Test
    void aSucceededKeyIsReplayedWithoutRunningTheMethod() {
        Receipt first = payments.pay("key", COMMAND);
        application.interruption().beforeEffectDo(() -> {
            throw new AssertionError("executed twice");
        });

        assertThat(payments.pay("key", COMMAND)).isEqualTo(first);

        assertThat(application.outcomes().all()).containsExactly(Outcome.EXECUTED, Outcome.REPLAYED);
    }

    @Test
    void aVoidMethodIsReplayedToo() {
        payments.payWithoutReceipt("key", COMMAND);
        payments.payWithoutReceipt("key", COMMAND);

        assertThat(application.spent("a1")).isEqualTo(5);
        assertThat(application.outcomes().all()).containsExactly(Outcome.EXECUTED, Outcome.REPLAYED);
    }

    @Test
    void aKeyHeldByAnOpenTransactionIsWaitedForUntilTheTimeout() {
        whileHeld(() -> payments.payWithoutReceipt("key", COMMAND), () -> {
            long start = System.nanoTime();
            RequestInProgressException inProgress = catchThrowableOfType(
                    RequestInProgressException.class, () -> payments.payWithoutReceipt("key", COMMAND));

            assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(300));
            assertThat(inProgress.retryAfter()).isGreaterThanOrEqualTo(Duration.ofSeconds(1));
            assertThat(inProgress).hasMessageContaining("key 'key' in scope 'payments-void'");
            assertThat(application.outcomes().all()).containsExactly(Outcome.IN_PROGRESS);
        });

        assertThat(application.spent("a1")).isEqualTo(5);
    }

    @Test
    void aKeyHeldByAnOpenTransactionFailsAtOnceByPolicy() {
        whileHeld(() -> payments.payOrFailFast("key", COMMAND), () -> {
            assertThatThrownBy(() -> payments.payOrFailFast("key", COMMAND))
                    .isInstanceOf(RequestInProgressException.class);
            assertThat(application.outcomes().all()).containsExactly(Outcome.IN_PROGRESS);
        });
    }

    @Test
    void aKeyWithAnotherPayloadIsRefused() {
        payments.pay("key", COMMAND);

        assertThatThrownBy(() -> payments.pay("key", new PayCommand("a2", 5))).isInstanceOf(KeyReusedException.class);

        assertThat(application.outcomes().all()).containsExactly(Outcome.EXECUTED, Outcome.KEY_REUSED);
    }

    @Test
    void aSucceededKeyWhoseResponseIsGoneIsNeverExecutedAgain() {
        payments.pay("key", COMMAND);
        application.alterRequest("key", "response_body = null");

        assertThatThrownBy(() -> payments.pay("key", COMMAND)).isInstanceOf(ResponseExpiredException.class);

        assertThat(application.spent("a1")).isEqualTo(5);
        assertThat(application.outcomes().all()).containsExactly(Outcome.EXECUTED, Outcome.RESPONSE_EXPIRED);
    }

    @Test
    void aSucceededKeyWhoseResponseTodaysTypeCannotReadIsNeverExecutedAgain() {
        payments.pay("key", COMMAND);
        application.alterRequest("key", "response_body = '{\"paymentId\": \"of an older version\"}'");

        assertThatThrownBy(() -> payments.pay("key", COMMAND))
                .isInstanceOf(UnreadableResponseException.class)
                .hasMessageContaining("Receipt");

        assertThat(application.spent("a1")).isEqualTo(5);
        assertThat(application.outcomes().all()).containsExactly(Outcome.EXECUTED, Outcome.UNREADABLE);
    }

    @Test
    void anExpiredRowThatIsNotPurgedStillReplays() {
        Receipt first = payments.pay("key", COMMAND);
        application.alterRequest("key", "expires_at = now() - interval '1 day'");

        assertThat(payments.pay("key", COMMAND)).isEqualTo(first);
    }

    @Test
    void aKeyThatItsMethodCommittedByItselfFailsClosed() {
        Misbehaving misbehaving = application.bean(Misbehaving.class);
        assertThatThrownBy(() -> misbehaving.commitByItself("key"))
                .isInstanceOf(TransactionFailedException.class)
                .hasMessageContaining("ended the transaction itself");

        assertThatThrownBy(() -> misbehaving.commitByItself("key")).isInstanceOf(ClaimAbandonedException.class);

        assertThat(application.outcomes().all()).containsExactly(Outcome.FAILED, Outcome.ABANDONED);
    }

    @Test
    void aMethodThatThrowsLeavesNothing() {
        application.interruption().afterEffectDo(() -> {
            throw new IllegalStateException("after the effect");
        });

        assertThatThrownBy(() -> payments.pay("key", COMMAND)).hasMessage("after the effect");

        assertNothingHappenedBut(Outcome.FAILED);
    }

    @Test
    void aResponseThatCannotBeStoredFailsTheFirstCallBeforeItsCommit() {
        Misbehaving misbehaving = application.bean(Misbehaving.class);

        assertThatThrownBy(() -> misbehaving.answerWhatCannotBeRead("key"))
                .isInstanceOf(ResponseNotStorableException.class)
                .hasMessageContaining("cannot be read back");

        assertNothingHappenedBut(Outcome.FAILED);
    }

    @Test
    void oneOutcomeIsReportedWithScopeIntentAndDuration() {
        payments.pay("key", COMMAND);

        assertThat(application.outcomes().events()).singleElement().satisfies(event -> {
            assertThat(event.scope()).isEqualTo("payments");
            assertThat(event.intent()).hasToString("key 'key' in scope 'payments'");
            assertThat(event.duration()).isPositive();
            assertThat(event.failure()).isNull();
        });
    }

    private void assertNothingHappenedBut(Outcome outcome) {
        assertThat(application.effects()).isZero();
        assertThat(application.requests()).isZero();
        assertThat(application.outcomes().all()).containsExactly(outcome);
    }

    /** Runs a test while another thread is inside of the method with the same key, then lets that one finish. */
    private void whileHeld(Runnable holder, Runnable test) {
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        application.interruption().afterEffectDo(() -> {
            held.countDown();
            Latches.await(mayEnd);
        });
        ConcurrentCalls<Void> holding = ConcurrentCalls.start(1, holder::run);
        try {
            Latches.await(held);
            test.run();
        } finally {
            mayEnd.countDown();
        }
        holding.await().requireAllSucceeded();
    }

    /** What an application must not do. */
    static class Misbehaving {

        private final JdbcTemplate jdbc;

        Misbehaving(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @Transactional
        @Idempotent(scope = "commit-by-itself", key = "#key")
        public String commitByItself(String key) {
            jdbc.execute((ConnectionCallback<Void>) connection -> {
                connection.commit();
                return null;
            });
            return key;
        }

        @Transactional
        @Idempotent(scope = "unreadable-answer", key = "#key")
        public Unreadable answerWhatCannotBeRead(String key) {
            return Unreadable.of(key);
        }
    }

    /** Written as JSON without complaint, and never read back. */
    static class Unreadable {

        private String text;

        static Unreadable of(String text) {
            Unreadable made = new Unreadable();
            made.text = text;
            return made;
        }

        public void setText(String text) {
            throw new IllegalStateException("is only written");
        }

        public String getText() {
            return text;
        }
    }
}
