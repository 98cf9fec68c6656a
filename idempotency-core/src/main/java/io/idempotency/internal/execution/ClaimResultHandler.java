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

/** Turns every kind of claim into a response or an exception, but for the one that is granted. */
final class ClaimResultHandler implements Claim.Handler {

    private final CallExecution execution;

    private final IdempotentCall call;

    private final boolean mayRetryInNewTransaction;

    private final ResponseMapper responses;

    private final FailureTranslator failures;

    private final Granted granted;

    /**
     * Prepares the answers to one claim.
     *
     * @param mayRetryInNewTransaction whether the call may end its transaction and claim again later, because it is its own
     * @param granted what to do if the key is ours
     */
    ClaimResultHandler(
            CallExecution execution,
            boolean mayRetryInNewTransaction,
            ResponseMapper responses,
            FailureTranslator failures,
            Granted granted) {
        this.execution = execution;
        this.call = execution.call();
        this.mayRetryInNewTransaction = mayRetryInNewTransaction;
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
            execution.found(Outcome.UNREADABLE);
            throw unreadable;
        }
        execution.found(Outcome.REPLAYED);
        return response;
    }

    @Override
    public @Nullable Object responseExpired(Claim.ResponseExpired claim) {
        execution.found(Outcome.RESPONSE_EXPIRED);
        throw new ResponseExpiredException(call.intent());
    }

    @Override
    public @Nullable Object inProgress(Claim.InProgress claim) {
        execution.found(Outcome.IN_PROGRESS);
        throw new RequestInProgressException(
                call.intent(),
                RetryAfter.of(execution.waitBudget().total()),
                "The " + call.intent() + " could not be claimed within "
                        + execution.waitBudget().spent().toMillis()
                        + " ms, because another call with it is still running or its table is locked: repeat this"
                        + " call later with the same key"
                        + (mayRetryInNewTransaction
                                ? ""
                                : ". The transaction that this call joined cannot be committed any more"),
                claim.waitEnded());
    }

    @Override
    public @Nullable Object leased(Claim.Leased claim) {
        execution.found(Outcome.IN_PROGRESS);
        if (mayRetryInNewTransaction) {
            throw new ActiveLeaseException(claim.remaining());
        }
        throw ActiveLeaseException.inProgress(
                call.intent(), claim.remaining(), ", which no call can wait for that has joined a transaction");
    }

    @Override
    public @Nullable Object keyReused(Claim.KeyReused claim) {
        execution.found(Outcome.KEY_REUSED);
        throw new KeyReusedException(call.intent());
    }

    @Override
    public @Nullable Object abandoned(Claim.Abandoned claim) {
        execution.found(Outcome.ABANDONED);
        throw new ClaimAbandonedException(call.intent());
    }

    @Override
    public @Nullable Object failedFinally(Claim.FailedFinally claim) throws Throwable {
        execution.found(Outcome.FAILURE_REPLAYED);
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
