package io.idempotency.internal.execution;

import org.jspecify.annotations.Nullable;

import io.idempotency.ClaimAbandonedException;
import io.idempotency.FailureTranslator;
import io.idempotency.KeyReusedException;
import io.idempotency.Outcome;
import io.idempotency.RecordedFailureException;
import io.idempotency.RequestInProgressException;
import io.idempotency.ResponseExpiredException;
import io.idempotency.UnreadableResponseException;
import io.idempotency.internal.claim.Claim;
import io.idempotency.internal.codec.ResponseMapper;

/** What every kind of claim means for the call that made it, but for the one that is granted. */
final class ClaimAnswers implements Claim.Handler {

    private final IdempotentCall call;

    private final WaitBudget waitBudget;

    private final CallReport report;

    private final boolean mayLookAgain;

    private final ResponseMapper responses;

    private final FailureTranslator failures;

    private final Granted granted;

    /**
     * Prepares the answers to one claim.
     *
     * @param mayLookAgain whether the call may end its transaction and look again later, because it is its own
     * @param granted what to do if the key is ours
     */
    ClaimAnswers(
            IdempotentCall call,
            WaitBudget waitBudget,
            CallReport report,
            boolean mayLookAgain,
            ResponseMapper responses,
            FailureTranslator failures,
            Granted granted) {
        this.call = call;
        this.waitBudget = waitBudget;
        this.report = report;
        this.mayLookAgain = mayLookAgain;
        this.responses = responses;
        this.failures = failures;
        this.granted = granted;
    }

    /** How a call is reported that ran its method. */
    static Outcome outcomeOf(Claim.Granted claim) {
        return switch (claim.origin()) {
            case NEW -> Outcome.EXECUTED;
            case FAILED_ATTEMPT -> Outcome.RETRIED;
            case EXPIRED_LEASE -> Outcome.RECOVERED;
        };
    }

    @Override
    public @Nullable Object granted(Claim.Granted claim) throws Throwable {
        return granted.run(claim);
    }

    @Override
    public @Nullable Object succeeded(Claim.Succeeded claim) {
        Object response;
        try {
            response = call.hasResponse()
                    ? responses.read(call.intent(), claim.responseBody(), call.responseType())
                    : null;
        } catch (UnreadableResponseException unreadable) {
            report.found(Outcome.UNREADABLE);
            throw unreadable;
        }
        report.found(Outcome.REPLAYED);
        return response;
    }

    @Override
    public @Nullable Object responseExpired(Claim.ResponseExpired claim) {
        report.found(Outcome.RESPONSE_EXPIRED);
        throw new ResponseExpiredException(call.intent());
    }

    @Override
    public @Nullable Object inProgress(Claim.InProgress claim) {
        report.found(Outcome.IN_PROGRESS);
        throw new RequestInProgressException(
                call.intent(),
                RetryAfter.of(waitBudget.total()),
                "The " + call.intent() + " could not be claimed within "
                        + waitBudget.spent().toMillis()
                        + " ms, because another call with it is still running or its table is locked: repeat this"
                        + " call later with the same key"
                        + (mayLookAgain ? "" : ". The transaction that this call joined cannot be committed any more"),
                claim.waitEnded());
    }

    @Override
    public @Nullable Object leased(Claim.Leased claim) {
        report.found(Outcome.IN_PROGRESS);
        if (mayLookAgain) {
            throw new ActiveLeaseException(claim.remaining());
        }
        throw ActiveLeaseException.inProgress(
                call.intent(), claim.remaining(), ", which no call can wait for that has joined a transaction");
    }

    @Override
    public @Nullable Object keyReused(Claim.KeyReused claim) {
        report.found(Outcome.KEY_REUSED);
        throw new KeyReusedException(call.intent());
    }

    @Override
    public @Nullable Object abandoned(Claim.Abandoned claim) {
        report.found(Outcome.ABANDONED);
        throw new ClaimAbandonedException(call.intent());
    }

    @Override
    public @Nullable Object failedFinally(Claim.FailedFinally claim) throws Throwable {
        report.found(Outcome.FAILURE_REPLAYED);
        RecordedFailureException recorded = new RecordedFailureException(call.intent(), claim.code(), claim.message());
        Exception translated = failures.toException(recorded);
        throw translated == null ? recorded : translated;
    }

    @Override
    public @Nullable Object refused(Claim.Refused claim) {
        throw claim.reason();
    }

    /** What is done with a key that is ours. */
    @FunctionalInterface
    interface Granted {

        @Nullable Object run(Claim.Granted claim) throws Throwable;
    }
}
