package io.idempotency.internal.call;

import java.util.Optional;

import org.jspecify.annotations.Nullable;

import io.idempotency.OutcomeUnknownException;
import io.idempotency.internal.call.attempt.Attempt;
import io.idempotency.internal.call.attempt.CallExecution;
import io.idempotency.internal.call.wait.RetryAfter;
import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.ClaimResult;
import io.idempotency.internal.transaction.CertainWrite;
import io.idempotency.internal.transaction.RequiresNewTransaction;
import io.idempotency.internal.transaction.Suppression;
import io.idempotency.internal.transaction.WriteEnd;

/**
 * Finds out whether an in-doubt commit has committed, after the last attempt of a call. It claims the key in a transaction of
 * its own, which it rolls back. If the server may get the row of the key later, together with the COMMIT, it first leaves a row that
 * refuses that one.
 */
final class InDoubtCommitResolver {

    private final RequiresNewTransaction transactions;

    private final FailureRecorder failures;

    private final CertainWrite writes;

    InDoubtCommitResolver(RequiresNewTransaction transactions, FailureRecorder failures, CertainWrite writes) {
        this.transactions = transactions;
        this.failures = failures;
        this.writes = writes;
    }

    /**
     * Returns the stored response if the commit succeeded, and throws its failure if it did not. The claim waits for a server
     * process that is still committing.
     *
     * @throws OutcomeUnknownException if the database cannot be asked, a transaction holds the key until the wait limit, or no row can
     *     be left
     */
    @Nullable Object resolve(CallExecution execution, Throwable failure) throws Throwable {
        WriteEnd<ClaimResult> end = writes.ask(failure, () -> answerUnlessRefusedLater(execution, failure));
        return switch (end.kind()) {
            case STORED -> answer(execution, end.result(), failure);
            case REFUSED -> throw failure;
            case LOST, LOCKED, UNKNOWN ->
                throw outcomeUnknown(execution, "the database could not be asked what became of it", failure);
        };
    }

    /** Returns the result of a claim; empty if the key has got a row that refuses the COMMIT. */
    private Optional<ClaimResult> answerUnlessRefusedLater(CallExecution execution, Throwable failure) {
        if (execution.mayCommitLate() && failures.leaveRow(execution, failure)) {
            return Optional.empty();
        }
        execution.begin(execution.claimingAttempt());
        return Optional.of(query(execution));
    }

    private static @Nullable Object answer(CallExecution execution, ClaimResult claim, Throwable failure)
            throws Throwable {
        if (claim.kind() == ClaimResult.Kind.IN_PROGRESS) {
            throw outcomeUnknown(execution, "a transaction still holds its key, perhaps the one that commits", failure);
        }
        Attempt asking = execution.last();
        asking.claimed(claim);
        return asking.handle(claim, true, granted -> {
            asking.setGrant(granted);
            throw execution.mayCommitLate()
                    ? outcomeUnknown(execution, "the row of its key was deleted meanwhile", failure)
                    : failure;
        });
    }

    /**
     * Returns what a repeat gets, if another attempt has kept a final failure from being recorded: a caller must not be told that its
     * call has failed for good if a repeat succeeds.
     *
     * @param failure the final failure; it is recorded if the other attempt has failed and may be repeated
     */
    @Nullable Object answerOfAnother(CallExecution execution, Throwable failure) throws Throwable {
        ClaimResult claim;
        try {
            claim = writes.untilAnswered(() -> query(execution));
        } catch (Throwable queryFailure) {
            Suppression.add(failure, queryFailure);
            throw failure;
        }
        if (claim.isGranted()) {
            if (failures.recordAs(claim.attempt(), execution.last(), failure)) {
                throw failure;
            }
            return answerOfAnother(execution, failure);
        }
        try {
            return execution.last().handle(claim, true, granted -> {
                throw failure;
            });
        } catch (Throwable other) {
            Suppression.add(other, failure);
            throw other;
        }
    }

    private ClaimResult query(CallExecution execution) {
        ClaimRequest request =
                execution.call().claimRequest(execution.waitBudget().forDatabase(), false, null);
        return transactions.callAndKeepIf(connection -> execution.last().claim(connection, request), result -> false);
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
