package io.idempotency.internal.call.attempt;

import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.ClaimResult;
import io.idempotency.internal.claim.ClaimStore;
import io.idempotency.internal.claim.Completion;
import io.idempotency.internal.transaction.ActiveTransaction;
import io.idempotency.internal.transaction.CommitGuard;
import io.idempotency.internal.transaction.JoinedTransaction;
import io.idempotency.internal.transaction.RowWithCommit;
import io.idempotency.internal.transaction.SqlStates;
import io.idempotency.internal.transaction.TransactionFailures;
import io.idempotency.internal.transaction.TransactionState;

/**
 * An attempt that runs the method before it claims the key: the finished row is inserted when it has returned, with plain JDBC in
 * the message of the COMMIT. If the key may have a row by then, everything is rolled back, and an attempt with the claim first
 * follows. In a transaction that it joins the claim is first.
 */
public final class OptimisticAttempt extends TransactionalAttempt {

    private static final ClaimResult FIRST = ClaimResult.granted(ClaimResult.Kind.GRANTED_NEW, 1);

    private final StoredAnswers storedAnswers;

    private boolean isOptimistic;

    private long finishingSince;

    public OptimisticAttempt(CallExecution execution, StoredAnswers storedAnswers) {
        super(execution);
        this.storedAnswers = storedAnswers;
    }

    /** The transaction may have sent nothing before the method, so that it looks ENDED. */
    @Override
    @Nullable Object work(Open open) throws Throwable {
        if (!open.transaction().isOwn()) {
            return super.work(open);
        }
        isOptimistic = true;
        execution().claimFirst();
        ActiveTransaction.refuseOtherCommits(
                open.transaction().status(), () -> TransactionFailures.otherCommit(call().intent()));
        return run(FIRST, open, TransactionState.ENDED, (held, result) -> finish(open, held, result));
    }

    private void finish(Open open, KeyOwnership.HeldKey held, @Nullable Object result) {
        ClaimStore store = parts().store();
        JoinedTransaction transaction = open.transaction();
        ClaimRequest request = requestIn(transaction);
        Completion completion = completionOf(request.fence(FIRST.attempt()), result);
        finishingSince = System.nanoTime();
        ActiveTransaction active = ActiveTransaction.find(transaction.holder());
        RowWithCommit row = new RowWithCommit(
                call().intent(),
                open.connection(),
                () -> sendRow(
                        request, bounded -> store.insertFinishedAndCommit(open.connection(), bounded, completion)));
        if (active != null && active.commitWith(row)) {
            CommitGuard.register(open.connection(), transaction.holder());
            held.storedWithCommit();
        } else {
            sendRow(request, bounded -> store.insertFinished(open.connection(), bounded, completion));
            claimed(FIRST);
            CommitGuard.registerOwn(open.connection(), transaction.holder());
            held.completed();
        }
    }

    private void sendRow(ClaimRequest request, Consumer<ClaimRequest> row) {
        execution().waitBudget().sendClaim(request, bounded -> {
            row.accept(bounded);
            return true;
        });
    }

    /** The insert of the row may have waited for the transaction of the first call. */
    @Override
    public boolean mayBeDuplicate(Throwable thrown) {
        if (!isOptimistic || !commitResult().isRolledBack(thrown)) {
            return false;
        }
        if (finishingSince != 0 && SqlStates.isAnswer(thrown)) {
            execution().waitBudget().spendSince(finishingSince);
            return true;
        }
        return !SqlStates.isConnectionLost(SqlStates.of(firstFailureOr(thrown))) && !storedAnswers.isNew(call());
    }
}
