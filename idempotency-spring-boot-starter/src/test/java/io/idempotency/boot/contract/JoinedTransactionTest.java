package io.idempotency.boot.contract;

import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
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

/** Calls that join a transaction which cannot commit, or cannot write. */
@ContractTest
class JoinedTransactionTest {

    private final Map<TransactionKind, ContractApplication> applications;

    JoinedTransactionTest(ContractApplications applications) {
        this.applications = TransactionKind.startEach(List.of(TransactionKind.values()), applications, Desk.class);
    }

    /** Spring rolls back without an exception, so that only the call can say so. */
    @ParameterizedTest
    @EnumSource
    void codeThatMarksTheTransactionOfItsCallerRollbackOnlyFails(TransactionKind kind) {
        ContractApplication application = applications.get(kind);
        IdempotencyOperations operations = application.bean(IdempotencyOperations.class);
        Inbox inbox = application.bean(Inbox.class);
        Runnable mark =
                () -> TransactionAspectSupport.currentTransactionStatus().setRollbackOnly();
        Desk desk = application.bean(Desk.class);

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
        assertNothingIsKept(application);
    }

    @ParameterizedTest
    @EnumSource
    void aCallInAReadOnlyTransactionIsRefusedAndCanBeMadeElsewhere(TransactionKind kind) {
        ContractApplication application = applications.get(kind);
        Desk desk = application.bean(Desk.class);
        TransactionTemplate readOnly = application.transaction();
        readOnly.setReadOnly(true);
        AtomicReference<Throwable> refusal = new AtomicReference<>();

        assertThatThrownBy(() -> readOnly.executeWithoutResult(
                        status -> refusal.set(catchThrowable(() -> desk.pay("key", () -> {})))))
                .isInstanceOf(UnexpectedRollbackException.class);

        assertThat(refusal.get())
                .isInstanceOf(TransactionMismatchException.class)
                .hasMessageContainingAll("'key'", "the open transaction is read-only", "REQUIRES_NEW");
        assertNothingIsKept(application);
        desk.pay("key", () -> {});
        assertKeptOnce(application);
    }

    @Test
    void aNestedTransactionIsRefusedByJpa() {
        ContractApplication application = applications.get(TransactionKind.JPA);
        Desk desk = application.bean(Desk.class);
        TransactionTemplate nested = application.transaction(Propagation.NESTED);

        application
                .transaction()
                .executeWithoutResult(status -> assertThatThrownBy(
                                () -> nested.executeWithoutResult(inner -> desk.pay("key", () -> {})))
                        .isInstanceOf(NestedTransactionNotSupportedException.class));

        assertThat(application.outcomes().all()).as("no call has begun").isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void aCallWhoseTransactionHasNoTimeLeftLeavesNothing(TransactionKind kind) {
        ContractApplication application = applications.get(kind);
        Desk desk = application.bean(Desk.class);

        assertThatThrownBy(() -> application.transaction().executeWithoutResult(status -> {
                    desk.runOutOfTime();
                    assertThatThrownBy(() -> desk.pay("key", () -> {}))
                            .isInstanceOf(TransactionTimedOutException.class);
                }))
                .isInstanceOf(UnexpectedRollbackException.class);

        assertNothingIsKept(application);
        desk.pay("key", () -> {});
        assertKeptOnce(application);
    }

    @ParameterizedTest
    @EnumSource
    void aCallWhoseTransactionRunsOutOfTimeBehindTheEffectLeavesNothing(TransactionKind kind) {
        ContractApplication application = applications.get(kind);
        Desk desk = application.bean(Desk.class);

        assertThatThrownBy(() -> application
                        .transaction()
                        .executeWithoutResult(status -> assertThatThrownBy(() -> desk.pay("key", desk::useUpTheTime))
                                .isInstanceOf(TransactionTimedOutException.class)))
                .isInstanceOf(UnexpectedRollbackException.class);

        assertNothingIsKept(application);
        desk.pay("key", () -> {});
        assertKeptOnce(application);
    }

    @ParameterizedTest
    @EnumSource
    void aCallThatCompletesInTimeIsRolledBackWithATransactionThatDoesNot(TransactionKind kind) {
        ContractApplication application = applications.get(kind);
        Desk desk = application.bean(Desk.class);

        assertThatThrownBy(() -> application.transaction().executeWithoutResult(status -> {
                    desk.pay("key", () -> {});
                    desk.useUpTheTime();
                }))
                .isInstanceOf(TransactionTimedOutException.class);

        assertNothingIsKept(application);
    }

    @ParameterizedTest
    @EnumSource
    void aCallIsRolledBackWithATransactionThatWasMarkedBefore(TransactionKind kind) {
        ContractApplication application = applications.get(kind);
        Desk desk = application.bean(Desk.class);

        application.transaction().executeWithoutResult(status -> {
            status.setRollbackOnly();
            desk.pay("key", () -> {});
        });

        assertNothingIsKept(application);
        desk.pay("key", () -> {});
        assertKeptOnce(application);
    }

    @ParameterizedTest
    @EnumSource
    void aCallIsRefusedInATransactionThatAnotherCallHasMarked(TransactionKind kind) {
        ContractApplication application = applications.get(kind);
        Desk desk = application.bean(Desk.class);

        assertThatThrownBy(() -> application.transaction().executeWithoutResult(status -> {
                    assertThatThrownBy(() -> desk.pay("first", Desk::fail)).hasMessage("on purpose");
                    assertThatThrownBy(() -> desk.pay("key", () -> {}))
                            .isInstanceOf(TransactionFailedException.class)
                            .hasMessageContaining("rollback-only");
                }))
                .isInstanceOf(UnexpectedRollbackException.class);

        assertNothingIsKept(application);
        desk.pay("key", () -> {});
        assertKeptOnce(application);
    }

    private static void assertKeptOnce(ContractApplication application) {
        assertThat(application.request("key")).containsEntry("status", "succeeded");
        assertThat(application.effects()).isEqualTo(1);
    }

    private static void assertNothingIsKept(ContractApplication application) {
        assertThat(application.effects()).isZero();
        assertThat(application.requests()).isZero();
        assertThat(application.outcomes().all()).containsOnly(Outcome.FAILED);
    }
}
