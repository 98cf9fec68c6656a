package io.idempotency.internal.execution;

import org.jspecify.annotations.Nullable;

import io.idempotency.OutcomeUnknownException;
import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.ClaimResult;
import io.idempotency.internal.transaction.RequiresNewTransaction;
import io.idempotency.internal.transaction.Suppression;

/**
 * Finds out what became of a COMMIT whose answer was lost, if no further attempt may find it out: there were too many, they took
 * too long, or none can reach the database by the caller's own session.
 */
final class InDoubtCommitResolver {

    private final RequiresNewTransaction transactions;

    private final ClaimInTransaction claimInTransaction;

    private final CallRetry retry;

    private final CallDefaults defaults;

    InDoubtCommitResolver(
            RequiresNewTransaction transactions,
            ClaimInTransaction claimInTransaction,
            CallRetry retry,
            CallDefaults defaults) {
        this.transactions = transactions;
        this.claimInTransaction = claimInTransaction;
        this.retry = retry;
        this.defaults = defaults;
    }

    /**
     * Asks by claiming the key, which waits for a server process that is perhaps still committing, and takes that back.
     *
     * @param failure thrown if nothing was committed
     * @return the stored response
     * @throws OutcomeUnknownException if the database cannot be asked
     */
    @Nullable Object resolve(CallExecution execution, Throwable failure) throws Throwable {
        IdempotentCall call = execution.call();
        ClaimRequest request =
                defaults.claimRequest(call, execution.waitBudget().forDatabase(), false, null);
        execution.beginAttempt();
        ClaimResult claim;
        try {
            claim = retry.untilDone(() -> transactions.callAndKeepIf(
                    connection -> call.keyClaimer().claim(connection, request), asked -> false));
        } catch (Throwable cannotAsk) {
            Suppression.add(failure, cannotAsk);
            throw new OutcomeUnknownException(
                    call.intent(),
                    RetryAfter.of(execution.waitBudget().total()),
                    "its COMMIT was not answered, and the database could not be asked what became of it. Repeat this call"
                            + " with the same key: it replays what was committed, and runs if nothing was",
                    failure);
        }
        return claimInTransaction.handle(claim, execution, true, nothingCommitted -> {
            execution.granted(nothingCommitted);
            throw failure;
        });
    }
}
