package io.idempotency.boot.contract;

import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.transaction.TransactionTimedOutException;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.KeyReusedException;
import io.idempotency.Outcome;
import io.idempotency.ReentrantCallException;
import io.idempotency.TransactionFailedException;
import io.idempotency.TransactionMismatchException;
import io.idempotency.boot.testing.Callbacks;
import io.idempotency.test.ConcurrentCalls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

/** Calls that join a transaction in its callbacks before the commit, and calls whose own transaction has such callbacks. */
@ContractTest
@ParameterizedClass
@EnumSource
class CallsInCallbacksTest {

    private final ContractApplications applications;

    @Parameter
    private TransactionKind kind;

    private ContractApplication application;

    private Desk desk;

    CallsInCallbacksTest(ContractApplications applications) {
        this.applications = applications;
    }

    @BeforeParameterizedClassInvocation
    void start() {
        application = kind.start(applications, List.of(Desk.class));
        desk = application.bean(Desk.class);
    }

    @AfterEach
    void clear() {
        // The purge and the sampler have short transactions of their own; what a callback has left open stays.
        await().untilAsserted(() -> assertThat(application.database().backends().activity())
                .noneMatch(backend -> String.valueOf(backend.state()).startsWith("idle in transaction")));
        desk.reset();
    }

    @ParameterizedTest
    @EnumSource
    void aCallIsPartOfTheTransaction(Callback callback) {
        application.transaction().executeWithoutResult(status -> callback.register(() -> desk.pay("key", () -> {})));

        assertKept("key");
        assertThat(application.effects()).isEqualTo(1);
        assertThat(application.outcomes().all()).containsExactly(Outcome.EXECUTED);
    }

    @ParameterizedTest
    @EnumSource
    void aRefusalThatIsSwallowedLeavesNothing(Callback callback) {
        desk.payAs("key", "first");

        assertThatThrownBy(() -> application.transaction().executeWithoutResult(status -> {
                    desk.pay("outer", () -> {});
                    callback.register(() -> assertThatThrownBy(() -> desk.payAs("key", "second"))
                            .isInstanceOf(KeyReusedException.class));
                }))
                .isInstanceOf(TransactionFailedException.class)
                .hasCauseInstanceOf(KeyReusedException.class);

        assertThat(application.effects()).isEqualTo(1);
        assertThat(application.requests()).isEqualTo(1);
        assertThat(desk.pay("outer", () -> {})).isEqualTo("paid in execution 3");
    }

    @ParameterizedTest
    @EnumSource
    void aFailureBehindTheEffectThatIsSwallowedLeavesNothing(Callback callback) {
        assertThatThrownBy(() -> application.transaction().executeWithoutResult(status -> {
                    desk.pay("outer", () -> {});
                    callback.register(() -> assertThatThrownBy(() -> desk.pay("key", Desk::fail))
                            .hasMessage("on purpose"));
                }))
                .isInstanceOf(TransactionFailedException.class);

        assertNothingIsKept();
    }

    /** Spring takes what it throws itself for the answer to a COMMIT, and rolls nothing back. */
    @ParameterizedTest
    @EnumSource
    void aFailureOfSpringsOwnLeavesNothing(Callback callback) {
        assertThatThrownBy(() -> application.transaction().executeWithoutResult(status -> {
                    desk.pay("outer", () -> {});
                    callback.register(() -> desk.pay("key", desk::useUpTheTime));
                }))
                .isInstanceOfAny(TransactionTimedOutException.class, TransactionFailedException.class);

        assertNothingIsKept();
    }

    @Test
    void aFailureOfSpringsOwnBeforeTheCommitOfACallLeavesNothing() {
        for (RuntimeException failure : List.of(
                new TransactionTimedOutException("too late"), new UnexpectedRollbackException("another transaction"))) {
            assertThatThrownBy(() -> desk.pay(
                            "key",
                            () -> Callback.BEFORE_COMMIT.register(() -> {
                                throw failure;
                            })))
                    .isSameAs(failure);

            assertNothingIsKept();
            application.outcomes().clear();
        }
        assertThat(desk.executions()).isEqualTo(2);
    }

    /** The transaction is over, and Spring still lets a method join it. */
    @Test
    void aCallAfterTheCompletionIsRefused() {
        AtomicReference<Throwable> refusal = new AtomicReference<>();

        application.transaction().executeWithoutResult(status -> {
            desk.pay("earlier", () -> {});
            Callbacks.afterCompletion(completion -> refusal.set(catchThrowable(() -> desk.pay("key", () -> {}))));
        });

        assertThat(refusal.get())
                .isInstanceOf(TransactionMismatchException.class)
                .hasMessageContaining("afterCompletion callback");
        assertKept("earlier");
        assertThat(application.requests()).isEqualTo(1);
        assertThat(application.effects()).isEqualTo(1);
    }

    /** JPA has no savepoints. */
    @ParameterizedTest
    @EnumSource
    void theKeyOfACallThatASavepointTookBackIsFree(Callback callback) {
        assumeThat(kind).isNotEqualTo(TransactionKind.JPA);
        TransactionTemplate nested = application.transaction(Propagation.NESTED);
        AtomicReference<String> ofAnother = new AtomicReference<>();

        application
                .transaction()
                .executeWithoutResult(status -> callback.register(() -> {
                    for (String key : List.of("same", "other")) {
                        assertThatThrownBy(() -> nested.executeWithoutResult(inner -> desk.pay(key, Desk::fail)))
                                .hasMessage("on purpose");
                    }
                    String own = desk.pay("same", () -> {});
                    nested.executeWithoutResult(
                            inner -> assertThat(desk.pay("same", () -> {})).isEqualTo(own));
                    ofAnother.set(ConcurrentCalls.run(1, () -> desk.pay("other", () -> {}))
                            .requireAllSucceeded()
                            .get(0));
                    assertThat(desk.pay("other", () -> {})).isEqualTo(ofAnother.get());
                }));

        assertThat(desk.pay("other", () -> {})).isEqualTo(ofAnother.get());
        assertKept("same");
        assertKept("other");
        assertThat(application.effects()).isEqualTo(2);
    }

    /** PostgreSQL would let the thread wait for itself. */
    @ParameterizedTest
    @EnumSource
    void theKeyThatIsAboutToBeCommittedIsRefusedAtOnceInANewTransaction(Callback callback) {
        TransactionTemplate anew = application.transaction(Propagation.REQUIRES_NEW);
        AtomicReference<Throwable> refusal = new AtomicReference<>();

        String paid = desk.pay(
                "key",
                () -> callback.register(() -> refusal.set(
                        catchThrowable(() -> anew.executeWithoutResult(status -> desk.pay("key", () -> {}))))));

        assertThat(refusal.get()).isInstanceOf(ReentrantCallException.class).hasMessageContaining("suspended");
        assertThat(desk.pay("key", () -> {})).isEqualTo(paid);
        assertThat(application.effects()).isEqualTo(1);
    }

    private void assertKept(String key) {
        assertThat(application.request(key)).containsEntry("status", "succeeded");
    }

    private void assertNothingIsKept() {
        assertThat(application.effects()).as("effects").isZero();
        assertThat(application.requests()).as("keys").isZero();
        assertThat(application.outcomes().all()).containsOnly(Outcome.FAILED);
    }

    /** Of the transaction, while it may still be written to. */
    private enum Callback {
        BEFORE_COMMIT,
        BEFORE_COMPLETION;

        void register(Runnable work) {
            switch (this) {
                case BEFORE_COMMIT -> Callbacks.beforeCommit(work);
                case BEFORE_COMPLETION -> Callbacks.beforeCompletion(work);
            }
        }
    }
}
