package io.idempotency.boot.contract;

import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.transaction.NestedTransactionNotSupportedException;
import org.springframework.transaction.TransactionTimedOutException;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.IdempotencyOperations;
import io.idempotency.Outcome;
import io.idempotency.TransactionFailedException;
import io.idempotency.TransactionMismatchException;
import io.idempotency.inbox.Inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assumptions.assumeThat;

/** Calls that join a transaction which cannot commit, or cannot write. */
@ContractTest
@ParameterizedClass
@EnumSource
class JoinedTransactionTest {

    private final ContractApplications applications;

    @Parameter
    private TransactionKind kind;

    private ContractApplication application;

    private Desk desk;

    JoinedTransactionTest(ContractApplications applications) {
        this.applications = applications;
    }

    @BeforeParameterizedClassInvocation
    void start() {
        application = kind.start(applications, List.of(Desk.class));
        desk = application.bean(Desk.class);
    }

    /** Spring rolls back without an exception, so that only the call can say so. */
    @Test
    void codeThatMarksTheTransactionOfItsCallerRollbackOnlyFails() {
        IdempotencyOperations operations = application.bean(IdempotencyOperations.class);
        Inbox inbox = application.bean(Inbox.class);
        Runnable mark =
                () -> TransactionAspectSupport.currentTransactionStatus().setRollbackOnly();
        for (Runnable call : List.<Runnable>of(
                () -> operations.call("marking", "key", "same").run(mark::run),
                () -> inbox.handleOnce("marking", "id", mark::run))) {
            assertThatThrownBy(() -> desk.inTransaction(call))
                    .isInstanceOf(TransactionFailedException.class)
                    .hasMessageContaining("its transaction was marked rollback-only");
            assertThatThrownBy(() -> desk.inTransaction(() -> desk.inTransaction(call)))
                    .isInstanceOf(TransactionFailedException.class);
        }
        assertThatThrownBy(() -> application
                        .transaction()
                        .executeWithoutResult(status ->
                                operations.call("marking", "key", "same").run(status::setRollbackOnly)))
                .isInstanceOf(TransactionFailedException.class);
        assertNothingIsKept();
    }

    @Test
    void aCallInAReadOnlyTransactionIsRefusedAndCanBeMadeElsewhere() {
        TransactionTemplate readOnly = application.transaction();
        readOnly.setReadOnly(true);
        AtomicReference<Throwable> refusal = new AtomicReference<>();

        assertThatThrownBy(() -> readOnly.executeWithoutResult(
                        status -> refusal.set(catchThrowable(() -> desk.pay("key", () -> {})))))
                .isInstanceOf(UnexpectedRollbackException.class);

        assertThat(refusal.get())
                .isInstanceOf(TransactionMismatchException.class)
                .hasMessageContainingAll("'key'", "the open transaction is read-only", "REQUIRES_NEW");
        assertNothingIsKept();
        desk.pay("key", () -> {});
        assertKeptOnce();
    }

    @Test
    void aNestedTransactionIsRefusedByJpa() {
        assumeThat(kind).isEqualTo(TransactionKind.JPA);
        TransactionTemplate nested = application.transaction(Propagation.NESTED);

        application
                .transaction()
                .executeWithoutResult(status -> assertThatThrownBy(
                                () -> nested.executeWithoutResult(inner -> desk.pay("key", () -> {})))
                        .isInstanceOf(NestedTransactionNotSupportedException.class));

        assertThat(application.outcomes().all()).as("no call has begun").isEmpty();
    }

    @Test
    void aCallWhoseTransactionHasNoTimeLeftLeavesNothing() {
        assertThatThrownBy(() -> application.transaction().executeWithoutResult(status -> {
                    desk.runOutOfTime();
                    assertThatThrownBy(() -> desk.pay("key", () -> {}))
                            .isInstanceOf(TransactionTimedOutException.class);
                }))
                .isInstanceOf(UnexpectedRollbackException.class);

        assertNothingIsKept();
        desk.pay("key", () -> {});
        assertKeptOnce();
    }

    @Test
    void aCallWhoseTransactionRunsOutOfTimeBehindTheEffectLeavesNothing() {
        assertThatThrownBy(() -> application
                        .transaction()
                        .executeWithoutResult(status -> assertThatThrownBy(() -> desk.pay("key", desk::useUpTheTime))
                                .isInstanceOf(TransactionTimedOutException.class)))
                .isInstanceOf(UnexpectedRollbackException.class);

        assertNothingIsKept();
        desk.pay("key", () -> {});
        assertKeptOnce();
    }

    @Test
    void aCallThatCompletesInTimeIsRolledBackWithATransactionThatDoesNot() {
        assertThatThrownBy(() -> application.transaction().executeWithoutResult(status -> {
                    desk.pay("key", () -> {});
                    desk.useUpTheTime();
                }))
                .isInstanceOf(TransactionTimedOutException.class);

        assertNothingIsKept();
    }

    @Test
    void aCallIsRolledBackWithATransactionThatWasMarkedBefore() {
        application.transaction().executeWithoutResult(status -> {
            status.setRollbackOnly();
            desk.pay("key", () -> {});
        });

        assertNothingIsKept();
        desk.pay("key", () -> {});
        assertKeptOnce();
    }

    @Test
    void aCallIsRefusedInATransactionThatAnotherCallHasMarked() {
        assertThatThrownBy(() -> application.transaction().executeWithoutResult(status -> {
                    assertThatThrownBy(() -> desk.pay("first", Desk::fail)).hasMessage("on purpose");
                    assertThatThrownBy(() -> desk.pay("key", () -> {}))
                            .isInstanceOf(TransactionFailedException.class)
                            .hasMessageContaining("rollback-only");
                }))
                .isInstanceOf(UnexpectedRollbackException.class);

        assertNothingIsKept();
        desk.pay("key", () -> {});
        assertKeptOnce();
    }

    private void assertKeptOnce() {
        assertThat(application.request("key")).containsEntry("status", "succeeded");
        assertThat(application.effects()).isEqualTo(1);
    }

    private void assertNothingIsKept() {
        assertThat(application.effects()).isZero();
        assertThat(application.requests()).isZero();
        assertThat(application.outcomes().all()).containsOnly(Outcome.FAILED);
    }
}
