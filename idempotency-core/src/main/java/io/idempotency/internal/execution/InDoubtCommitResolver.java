package io.idempotency.internal.execution;

import org.jspecify.annotations.Nullable;

import io.idempotency.OutcomeUnknownException;
import io.idempotency.internal.claim.Claim;
import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.transaction.RequiresNewTransaction;
import io.idempotency.internal.transaction.Suppression;

/**
 * Finds out what became of a COMMIT whose answer was lost, if no further attempt may find it out: there were too many, they took
 * too long, or none can reach the database by the caller's own session.
 */
final class InDoubtCommitResolver {

    private final RequiresNewTransaction transactions;

    private final ClaimInTransaction executor;

    private final CallRetry retry;

    private final CallDefaults defaults;

    InDoubtCommitResolver(
            RequiresNewTransaction transactions, ClaimInTransaction executor, CallRetry retry, CallDefaults defaults) {
        this.transactions = transactions;
        this.executor = executor;
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
        ClaimRequest request = new ClaimRequest(
                call.requestId(),
                call.intent(),
                call.fingerprint(),
                defaults.retentionOf(call.terms()),
                defaults.responseRetentionOf(call),
                execution.waitBudget().forDatabase(),
                false,
                null);
        execution.beginAttempt();
        Claim claim;
        try {
            claim = retry.untilDone(() ->
                    transactions.callAndKeepIf(connection -> call.claims().claim(connection, request), asked -> false));
        } catch (Throwable cannotAsk) {
            Suppression.add(failure, cannotAsk);
            throw new OutcomeUnknownException(
                    call.intent(),
                    RetryAfter.of(execution.waitBudget().total()),
                    "its COMMIT was not answered, and the database could not be asked what became of it. Repeat this call"
                            + " with the same key: it replays what was committed, and runs if nothing was",
                    failure);
        }
        return claim.handledBy(executor.handlerOf(execution, true, nothingCommitted -> {
            execution.granted(nothingCommitted);
            throw failure;
        }));
    }
}
