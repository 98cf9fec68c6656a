package io.idempotency.internal.execution;

import java.lang.reflect.Type;
import java.sql.Connection;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.idempotency.FailureTranslator;
import io.idempotency.IdempotencyContext;
import io.idempotency.IdempotencyContextHolder;
import io.idempotency.LeaseLostException;
import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.ClaimResult;
import io.idempotency.internal.claim.ClaimStore;
import io.idempotency.internal.claim.ClaimStore.TransactionState;
import io.idempotency.internal.claim.Completion;
import io.idempotency.internal.claim.Fence;
import io.idempotency.internal.claim.KeyedWrite;
import io.idempotency.internal.codec.ResponseMapper;
import io.idempotency.internal.operation.IdempotentOperation;
import io.idempotency.internal.transaction.CommitGuard;
import io.idempotency.internal.transaction.JoinedTransaction;
import io.idempotency.internal.transaction.JoinedTransactions;
import io.idempotency.internal.transaction.PipelinedCompletion;
import io.idempotency.internal.transaction.PipelinedTransaction;
import io.idempotency.internal.transaction.ReadOnlyTransaction;
import io.idempotency.internal.transaction.SqlStates;
import io.idempotency.internal.transaction.TransactionFailures;
import io.idempotency.internal.transaction.TransactionTracker;

import static java.util.Objects.requireNonNull;

/**
 * The innermost part of a call, inside the transaction. It claims the key and then runs the method and stores its response, or
 * replays the stored response, or refuses the call. With a lease the key is claimed already, and only the completion is part of
 * the transaction. In an optimistic attempt the method runs first, and the insert of its finished row claims the key. Every exception rolls the transaction back, also a checked one.
 */
public final class ClaimInTransaction {

    private final ClaimStore store;

    private final JoinedTransactions transactions;

    private final ResponseMapper responses;

    private final FailureTranslator failures;

    private final CallDefaults defaults;

    /**
     * Creates the claim.
     *
     * @param store completes leases, and knows the state of transactions
     * @param transactions finds or opens the transaction of a call
     * @param responses writes and reads stored responses
     * @param failures translates recorded failures to exceptions
     * @param defaults the settings that a call leaves open
     */
    public ClaimInTransaction(
            ClaimStore store,
            JoinedTransactions transactions,
            ResponseMapper responses,
            FailureTranslator failures,
            CallDefaults defaults) {
        this.store = store;
        this.transactions = transactions;
        this.responses = responses;
        this.failures = failures;
        this.defaults = defaults;
    }

    /**
     * Executes an annotated method for which {@link IdempotentCallExecutor} runs a call on this thread.
     *
     * @param operation the operation of the annotation
     * @param invocation the method
     * @return the result of the method, or the stored one
     * @throws Throwable the exception of the method, or an {@link io.idempotency.IdempotencyException}
     */
    public @Nullable Object execute(IdempotentOperation operation, Invocation invocation) throws Throwable {
        return execute(operation, operation::describe, invocation);
    }

    /**
     * Executes other code for which {@link IdempotentCallExecutor} runs a call on this thread.
     *
     * @param site the site that was given to {@link IdempotentCallExecutor#execute(Object, UnboundCall, Invocation)}
     * @param description describes the site in error messages
     * @param invocation the effect
     * @return the result of the effect, or the stored one
     * @throws Throwable the exception of the effect, or an {@link io.idempotency.IdempotencyException}
     */
    public @Nullable Object execute(Object site, Supplier<String> description, Invocation invocation) throws Throwable {
        CallExecution execution = CallExecution.requireCurrent(site, description);
        HeldLease lease = execution.lease();
        return lease == null ? claimAndRun(execution, invocation) : runLeased(execution, lease, invocation);
    }

    /** Keeps the exception of the work apart from that of the commit, which may have succeeded. */
    private static JoinedTransactions.Work keepFailure(CallExecution execution, JoinedTransactions.Work work) {
        return transaction -> {
            try {
                return work.in(transaction);
            } catch (Throwable failure) {
                execution.failedInside(failure);
                throw failure;
            }
        };
    }

    private @Nullable Object claimAndRun(CallExecution execution, Invocation invocation) throws Throwable {
        IdempotentCall call = execution.call();
        return transactions.call(call.intent(), execution.declaredTransaction(), keepFailure(execution, transaction -> {
            CallSynchronization synchronization = CallSynchronization.register(transaction, execution);
            return transaction.withConnection(call.intent(), connection -> {
                KeyOwnership.requireNotHeld(call.localKey(), call.intent(), transaction.holder());
                // A lazy DataSource fetches the connection for it.
                synchronization.setConnection(connection);
                if (!execution.claimsFirst() && transaction.isOwn()) {
                    return runOptimistically(execution, transaction, connection, synchronization, invocation);
                }
                ClaimRequest request = requestOf(execution, transaction);
                PipelinedTransaction.sendEarly(transaction.holder(), connection);
                ClaimResult claim = execution.waitBudget().spendOn(() -> claim(call, connection, request));
                execution.claimed(claim);
                TransactionState stateAfterClaim = store.transactionState(connection);
                guardCommit(call, transaction, connection);
                return handle(
                        claim,
                        execution,
                        transaction.isOwn(),
                        granted -> runGranted(
                                granted,
                                execution,
                                transaction,
                                connection,
                                stateAfterClaim,
                                synchronization,
                                invocation,
                                (held, result) -> {
                                    if (!call.isCompleteWithClaim()) {
                                        Fence fence = request.fence(granted.attempt());
                                        complete(call, completionOf(call, fence, result), transaction, connection);
                                    }
                                    held.completed();
                                }));
            });
        }));
    }

    private ClaimRequest requestOf(CallExecution execution, JoinedTransaction transaction) {
        IdempotentCall call = execution.call();
        return defaults.claimRequest(
                call, transaction.limit(execution.waitBudget().forDatabase()), call.isCompleteWithClaim(), null);
    }

    /** Runs the method and then inserts its row. The transaction may have sent nothing before, so that it looks ENDED. */
    private @Nullable Object runOptimistically(
            CallExecution execution,
            JoinedTransaction transaction,
            Connection connection,
            CallSynchronization synchronization,
            Invocation invocation)
            throws Throwable {
        IdempotentCall call = execution.call();
        execution.runsOptimistically();
        TransactionTracker.refuseOtherCommits(
                transaction.status(), () -> TransactionFailures.otherCommit(call.intent()));
        ClaimResult first = ClaimResult.granted(ClaimResult.Kind.GRANTED_NEW, 1);
        return runGranted(
                first,
                execution,
                transaction,
                connection,
                TransactionState.ENDED,
                synchronization,
                invocation,
                (held, result) -> {
                    ClaimRequest request = requestOf(execution, transaction);
                    Completion completion = completionOf(call, request.fence(first.attempt()), result);
                    execution.finishes();
                    PipelinedTransaction pipelined = PipelinedTransaction.of(transaction.holder());
                    if (pipelined != null) {
                        CommitGuard.register(connection, transaction.holder(), store);
                        pipelined.commitWith(PipelinedCompletion.withoutClaim(store, request, connection, completion));
                        held.storedWithCommit();
                    } else {
                        store.insertFinished(connection, request, completion);
                        execution.claimed(first);
                        CommitGuard.registerOwn(connection, transaction.holder(), store);
                        held.completed();
                    }
                });
    }

    private void guardCommit(IdempotentCall call, JoinedTransaction transaction, Connection connection) {
        if (isCompletedWithCommit(call, transaction)) {
            CommitGuard.registerPipelined(connection, transaction.holder(), store);
        } else if (transaction.isOwn()) {
            CommitGuard.registerOwn(connection, transaction.holder(), store);
        } else {
            CommitGuard.register(connection, transaction.holder(), store);
        }
    }

    private static ClaimResult claim(IdempotentCall call, Connection connection, ClaimRequest request) {
        try {
            return call.keyClaimer().claim(connection, request);
        } catch (DataAccessException failure) {
            throw ReadOnlyTransaction.explain(call.intent(), failure);
        }
    }

    /** Checks a statement of a write. */
    KeyedWrite.Statement statement(String sql, Map<String, ? extends @Nullable Object> parameters) {
        return store.statement(sql, parameters);
    }

    /** Executes the statements of a write as the method of its call, whose key was claimed in the same transaction. */
    @Nullable Object write(KeyedWrite write, Type responseType) {
        String row = transactions.onOpenConnection((connection, holder) ->
                store.write(connection, write, holder.hasTimeout() ? holder.getTimeToLiveInSeconds() : 0));
        return write.returnsRow()
                ? responses.read(IdempotencyContext.current().intent(), requireNonNull(row), responseType)
                : write.response();
    }

    long maxRowBytes() {
        return responses.maxBytes();
    }

    /** Reads the row that is the response of a write. */
    @Nullable Object readRow(IdempotentCall call, @Nullable String row) {
        return responses.read(call.intent(), requireNonNull(row), call.responseType());
    }

    @Nullable Object handle(
            ClaimResult result,
            CallExecution execution,
            boolean mayRetryInNewTransaction,
            ClaimResultHandler.Granted granted)
            throws Throwable {
        return new ClaimResultHandler(execution, mayRetryInNewTransaction, responses, failures, granted).handle(result);
    }

    private @Nullable Object runGranted(
            ClaimResult claim,
            CallExecution execution,
            JoinedTransaction transaction,
            Connection connection,
            TransactionState stateAfterClaim,
            CallSynchronization synchronization,
            Invocation invocation,
            ResultStep completing)
            throws Throwable {
        execution.granted(claim);
        IdempotentCall call = execution.call();
        KeyOwnership.HeldKey held = KeyOwnership.hold(call.localKey(), transaction.holder());
        held.mustBeKept(() -> requireNotEnded(call, store.transactionState(connection), stateAfterClaim));
        synchronization.setHeldKey(held);
        try {
            Object result = runMethod(
                    new CallContext(call.intent(), call.isMessage(), claim.attempt(), null, null), invocation);
            requireNotUndone(call, execution);
            requireCommittable(call, transaction, connection, stateAfterClaim);
            completing.accept(held, result);
            if (!transaction.isOwn()) {
                held.mayBeUndone();
            }
            execution.completedWith(result);
            execution.setOutcome(ClaimResultHandler.outcomeOf(claim));
            return result;
        } catch (Throwable failure) {
            held.failed();
            throw failure;
        }
    }

    /** Throws if a rollback to a savepoint has undone the claim. */
    private static void requireNotUndone(IdempotentCall call, CallExecution execution) {
        if (execution.isUndone()) {
            throw TransactionFailures.claimIsGone(call.intent());
        }
    }

    private static boolean isCompletedWithCommit(IdempotentCall call, JoinedTransaction transaction) {
        return !call.isCompleteWithClaim()
                && transaction.isOwn()
                && PipelinedTransaction.of(transaction.holder()) != null;
    }

    /** Completes the claim with the COMMIT if the call owns its transaction and the manager supports it, else at once. */
    private void complete(
            IdempotentCall call, Completion completion, JoinedTransaction transaction, Connection connection) {
        PipelinedTransaction pipelined = transaction.isOwn() ? PipelinedTransaction.of(transaction.holder()) : null;
        if (pipelined != null) {
            pipelined.commitWith(PipelinedCompletion.ofClaim(store, call.intent(), connection, completion));
        } else if (!call.keyClaimer().complete(connection, completion)) {
            throw TransactionFailures.claimIsGone(call.intent());
        }
    }

    private @Nullable Object runLeased(CallExecution execution, HeldLease lease, Invocation invocation)
            throws Throwable {
        IdempotentCall call = execution.call();
        TransactionStatus declared = execution.declaredTransaction();
        if (declared == null) {
            try {
                return runWithSteps(execution, lease, invocation);
            } catch (Throwable failure) {
                execution.failedInside(failure);
                throw failure;
            }
        }
        return transactions.call(call.intent(), declared, keepFailure(execution, transaction -> {
            CallSynchronization synchronization = CallSynchronization.register(transaction, execution);
            return transaction.withConnection(call.intent(), connection -> {
                synchronization.setConnection(connection);
                lease.setMethodConnection(connection);
                Object result = runWithSteps(execution, lease, invocation);
                requireCommittable(call, transaction, connection, TransactionState.ENDED);
                completeLeased(call, lease, connection, result);
                CommitGuard.register(connection, transaction.holder(), store);
                execution.completedWith(result);
                execution.setOutcome(ClaimResultHandler.outcomeOf(lease.claim()));
                return result;
            });
        }));
    }

    /**
     * Completes a lease in the method's transaction. If that has a snapshot and the row has changed since, PostgreSQL reports a
     * serialization failure, so another transaction has to find out whether the lease is lost.
     */
    private void completeLeased(IdempotentCall call, HeldLease lease, Connection connection, @Nullable Object result) {
        Completion completion = completionOf(call, lease.fence(), result);
        boolean completed;
        try {
            completed = store.complete(connection, completion);
        } catch (RuntimeException failure) {
            if (SqlStates.isSerializationFailure(SqlStates.of(failure)) && !lease.isHeld()) {
                LeaseLostException lost =
                        new LeaseLostException(call.intent(), lease.claim().attempt());
                lost.addSuppressed(failure);
                throw lost;
            }
            throw failure;
        }
        if (!completed) {
            throw new LeaseLostException(call.intent(), lease.claim().attempt());
        }
    }

    private @Nullable Object runWithSteps(CallExecution execution, HeldLease lease, Invocation invocation)
            throws Throwable {
        IdempotentCall call = execution.call();
        CallSteps steps = new CallSteps(execution, lease, this, responses, failures);
        CallContext context =
                new CallContext(call.intent(), call.isMessage(), lease.claim().attempt(), lease, steps);
        try {
            Object result = runMethod(context, invocation);
            steps.requireAllReached();
            return result;
        } finally {
            steps.ended();
        }
    }

    /** Runs a step of a leased call in a new transaction, and records it there. */
    void runStep(IdempotentCall call, StepTransaction step, Invocation work, Consumer<@Nullable Object> record)
            throws Throwable {
        transactions.call(
                call.intent(),
                null,
                transaction -> transaction.withConnection(call.intent(), connection -> {
                    step.begins(transaction, connection);
                    TransactionSynchronizationManager.registerSynchronization(step);
                    Object result = work.proceed();
                    requireCommittable(call, transaction, connection, TransactionState.ENDED);
                    record.accept(result);
                    CommitGuard.register(connection, transaction.holder(), store);
                    return null;
                }));
    }

    private static @Nullable Object runMethod(CallContext context, Invocation invocation) throws Throwable {
        IdempotencyContext outer = IdempotencyContextHolder.exchange(context);
        try {
            return invocation.proceed();
        } finally {
            IdempotencyContextHolder.exchange(outer);
        }
    }

    /** Checks before the flush as well, because that would fail for another reason in an aborted transaction. */
    private void requireCommittable(
            IdempotentCall call, JoinedTransaction transaction, Connection connection, TransactionState stateBefore) {
        requireNotFailed(call, transaction, connection, stateBefore);
        transaction.flush();
        requireNotFailed(call, transaction, connection, stateBefore);
    }

    /** Throws unless the transaction can commit. That of a leased call may have sent no statement yet, which looks ENDED. */
    private void requireNotFailed(
            IdempotentCall call, JoinedTransaction transaction, Connection connection, TransactionState stateBefore) {
        if (transaction.isRollbackOnly()) {
            throw TransactionFailures.rollbackOnly(call.intent());
        }
        TransactionState state = store.transactionState(connection);
        if (state == TransactionState.ABORTED) {
            throw TransactionFailures.swallowedSqlError(call.intent());
        }
        requireNotEnded(call, state, stateBefore);
    }

    private static void requireNotEnded(IdempotentCall call, TransactionState state, TransactionState stateBefore) {
        boolean isEnded = switch (state) {
            case CLAIMED, ABORTED -> false;
            case OPEN -> stateBefore == TransactionState.CLAIMED;
            case ENDED -> stateBefore != TransactionState.ENDED;
        };
        if (isEnded) {
            throw TransactionFailures.transactionEnded(call.intent());
        }
    }

    /** Stores the result of a method that has returned. */
    @FunctionalInterface
    private interface ResultStep {

        void accept(KeyOwnership.HeldKey held, @Nullable Object result);
    }

    Completion completionOf(IdempotentCall call, Fence fence, @Nullable Object result) {
        RepeatRequestedException.throwIfAsked(responses, call, result);
        IdempotentCall.ResultNaming naming = call.resultNaming();
        return new Completion(
                fence,
                call.hasResponse()
                        ? responses.write(
                                call.intent(),
                                result,
                                call.responseType(),
                                call.options().lossyResponse())
                        : ResponseMapper.NULL_BODY,
                naming == null ? null : naming.type(),
                naming == null ? null : naming.id(result));
    }
}
