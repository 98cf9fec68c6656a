package io.idempotency.internal.call.attempt;

import java.sql.Connection;

import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;

import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.ClaimResult;
import io.idempotency.internal.claim.Completion;
import io.idempotency.internal.transaction.CommitGuard;
import io.idempotency.internal.transaction.JoinedTransaction;
import io.idempotency.internal.transaction.ReadOnlyTransaction;
import io.idempotency.internal.transaction.TransactionFailures;
import io.idempotency.internal.transaction.TransactionState;

/**
 * An attempt whose key is committed together with its effect. One of this class itself claims the key first, and then runs the method
 * and stores its response, or replays the stored response, or refuses the call. Every exception rolls the transaction back, also a
 * checked one.
 */
public class TransactionalAttempt extends Attempt {

    public TransactionalAttempt(CallExecution execution) {
        super(execution);
    }

    /**
     * Makes the attempt.
     *
     * @throws Throwable the exception that the caller gets unless another attempt follows
     */
    public @Nullable Object make() throws Throwable {
        try {
            Object result = execution().effect().within(declared -> inTransaction(declared, this::work));
            requireAcknowledgeable();
            return result;
        } catch (Throwable thrown) {
            execution().failed(this, thrown);
            throw exceptionForCaller(thrown);
        }
    }

    /** Returns whether an attempt that claims first has to follow immediately, because a duplicate may have caused the failure. */
    public boolean mayBeDuplicate(Throwable thrown) {
        return false;
    }

    private @Nullable Object work(JoinedTransaction transaction) throws Throwable {
        IdempotentCall call = call();
        CallSynchronization synchronization = CallSynchronization.register(transaction, this);
        return transaction.withConnection(call.intent(), connection -> {
            KeyOwnership.requireNotHeld(call.localKey(), call.intent(), transaction.holder());
            // A lazy DataSource fetches the connection for it.
            synchronization.setConnection(connection);
            return work(new Open(transaction, connection, synchronization));
        });
    }

    /** Works in the open transaction. */
    @Nullable Object work(Open open) throws Throwable {
        IdempotentCall call = call();
        JoinedTransaction transaction = open.transaction;
        ClaimRequest request = requestIn(transaction);
        ClaimResult claim = execution().waitBudget().spendOn(() -> sendClaim(open.connection, request));
        claimed(claim);
        TransactionState stateAfterClaim = TransactionState.of(open.connection);
        guardCommit(open);
        return handle(
                claim,
                transaction.isOwn(),
                granted -> run(granted, open, stateAfterClaim, (held, result) -> {
                    if (!call.isCompleteWithClaim()) {
                        complete(request, granted, result, open.connection);
                    }
                    held.completed();
                }));
    }

    final ClaimRequest requestIn(JoinedTransaction transaction) {
        return call().claimRequest(
                        transaction.limit(execution().waitBudget().forDatabase()), call().isCompleteWithClaim(), null);
    }

    private ClaimResult sendClaim(Connection connection, ClaimRequest request) {
        try {
            return execution().waitBudget().sendClaim(request, bounded -> claim(connection, bounded));
        } catch (DataAccessException failure) {
            throw ReadOnlyTransaction.explain(call().intent(), failure);
        }
    }

    private void guardCommit(Open open) {
        if (open.transaction.isOwn()) {
            CommitGuard.registerOwn(open.connection, open.transaction.holder());
        } else {
            CommitGuard.register(open.connection, open.transaction.holder());
        }
    }

    private void complete(ClaimRequest request, ClaimResult granted, @Nullable Object result, Connection connection) {
        Completion completion = completionOf(request.fence(granted.attempt()), result);
        if (!parts().store().complete(connection, completion)) {
            throw TransactionFailures.claimIsGone(call().intent());
        }
    }

    /**
     * Runs the method under a claim, and stores its result.
     *
     * @param stateBefore the state of the transaction before the method; ENDED also if nothing was sent in it
     */
    final @Nullable Object run(ClaimResult claim, Open open, TransactionState stateBefore, ResultStep completing)
            throws Throwable {
        setGrant(claim);
        IdempotentCall call = call();
        KeyOwnership.HeldKey held = KeyOwnership.hold(call, open.transaction.holder());
        held.mustBeKept(() ->
                JoinedTransaction.requireNotEnded(call.intent(), TransactionState.of(open.connection), stateBefore));
        open.synchronization.setHeldKey(held);
        try {
            Object result = runMethod(new CallContext(call, claim.attempt()));
            if (isUndone()) {
                // By a rollback to a savepoint.
                throw TransactionFailures.claimIsGone(call.intent());
            }
            open.transaction.requireCommittable(call.intent(), open.connection, stateBefore);
            completing.accept(held, result);
            if (!open.transaction.isOwn()) {
                held.mayBeUndone();
            }
            completedWith(claim, result);
            return result;
        } catch (Throwable failure) {
            held.failed();
            throw failure;
        }
    }

    /** The open transaction of an attempt. */
    record Open(JoinedTransaction transaction, Connection connection, CallSynchronization synchronization) {}

    /** Stores the result of a method that has returned. */
    @FunctionalInterface
    interface ResultStep {

        void accept(KeyOwnership.HeldKey held, @Nullable Object result);
    }
}
