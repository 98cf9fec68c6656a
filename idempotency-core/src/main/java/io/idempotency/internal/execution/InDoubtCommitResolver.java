package io.idempotency.internal.execution;

import org.jspecify.annotations.Nullable;

import io.idempotency.OutcomeUnknownException;
import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.ClaimResult;
import io.idempotency.internal.transaction.RequiresNewTransaction;
import io.idempotency.internal.transaction.Suppression;

/**
 * Finds out whether an in-doubt commit has committed, after the last attempt of a call. It claims the key in a transaction of
 * its own, which it rolls back.
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
     * Returns the stored response if the commit succeeded, and throws its failure if it did not. The claim waits for a server
     * process that is still committing.
     *
     * @param failure the failure of the commit
     * @return the stored response
     * @throws OutcomeUnknownException if the database cannot be asked, or a transaction holds the key until the wait limit
     */
    @Nullable Object resolve(CallExecution execution, Throwable failure) throws Throwable {
        IdempotentCall call = execution.call();
        ClaimRequest request =
                defaults.claimRequest(call, execution.waitBudget().forDatabase(), false, null);
        execution.beginAttempt();
        ClaimResult claim;
        try {
            claim = retry.runRequired(() -> transactions.callAndKeepIf(
                    connection -> call.keyClaimer().claim(connection, request), result -> false));
        } catch (Throwable queryFailure) {
            Suppression.add(failure, queryFailure);
            throw outcomeUnknown(execution, "the database could not be asked what became of it", failure);
        }
        if (claim.kind() == ClaimResult.Kind.IN_PROGRESS) {
            throw outcomeUnknown(execution, "a transaction still holds its key, perhaps the one that commits", failure);
        }
        return claimInTransaction.handle(claim, execution, true, granted -> {
            execution.granted(granted);
            throw failure;
        });
    }

    private static OutcomeUnknownException outcomeUnknown(CallExecution execution, String reason, Throwable failure) {
        return new OutcomeUnknownException(
                execution.call().intent(),
                RetryAfter.of(execution.waitBudget().total()),
                "its COMMIT was not answered, and " + reason
                        + ". Repeat this call with the same key: it replays what was"
                        + " committed, and runs if nothing was",
                failure);
    }
}
