package io.idempotency.internal.call.attempt;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.idempotency.ClaimAbandonedException;
import io.idempotency.KeyReusedException;
import io.idempotency.Outcome;
import io.idempotency.RecordedFailureException;
import io.idempotency.RequestInProgressException;
import io.idempotency.ResponseExpiredException;
import io.idempotency.UnreadableResponseException;
import io.idempotency.internal.call.wait.RetryAfter;
import io.idempotency.internal.call.wait.WaitBudget;
import io.idempotency.internal.claim.ClaimResult;
import io.idempotency.internal.claim.Failure;

import static java.util.Objects.requireNonNull;

/**
 * Acts on the result of a claim that was not granted: turns it into the stored response or an exception.
 */
final class ClaimResultHandler {

    private final Attempt attempt;

    private final IdempotentCall call;

    private final boolean mayRetryInNewTransaction;

    /**
     * Creates the handler of one claim.
     *
     * @param mayRetryInNewTransaction whether the call owns its transaction, so that it can end it and claim again later
     */
    ClaimResultHandler(Attempt attempt, boolean mayRetryInNewTransaction) {
        this.attempt = attempt;
        this.call = attempt.call();
        this.mayRetryInNewTransaction = mayRetryInNewTransaction;
    }

    /** Returns the response of the call, or throws the exception that its caller gets. */
    @Nullable Object answer(ClaimResult result) throws Exception {
        return switch (result.kind()) {
            case GRANTED_NEW, GRANTED_RETRY, GRANTED_RECOVERY, NOT_GRANTED ->
                throw new IllegalArgumentException("It has no answer of the store: " + result);
            case SUCCEEDED -> replay(requireNonNull(result.responseBody()));
            case RESPONSE_EXPIRED ->
                throw withOutcome(Outcome.RESPONSE_EXPIRED, new ResponseExpiredException(call.intent()));
            case FAILED_FINALLY ->
                throw withOutcome(Outcome.FAILURE_REPLAYED, recorded(requireNonNull(result.failure())));
            case KEY_REUSED -> throw withOutcome(Outcome.KEY_REUSED, new KeyReusedException(call.intent()));
            case IN_PROGRESS -> throw withOutcome(Outcome.IN_PROGRESS, inProgress(result.cause()));
            case LEASED -> throw withOutcome(Outcome.IN_PROGRESS, leased(requireNonNull(result.leaseRemaining())));
            case ABANDONED -> throw withOutcome(Outcome.ABANDONED, abandoned(result.failure()));
            case REFUSED -> throw requireNonNull(result.cause());
        };
    }

    private Exception withOutcome(Outcome outcome, Exception exception) {
        attempt.setOutcome(outcome);
        return exception;
    }

    private @Nullable Object replay(String responseBody) {
        Object response;
        try {
            response = call.hasResponse()
                    ? attempt.parts().responses().read(call.intent(), responseBody, call.responseType())
                    : null;
        } catch (UnreadableResponseException unreadable) {
            attempt.setOutcome(Outcome.UNREADABLE);
            throw unreadable;
        }
        attempt.setOutcome(Outcome.REPLAYED);
        return response;
    }

    private ClaimAbandonedException abandoned(@Nullable Failure reason) {
        return reason == null
                ? new ClaimAbandonedException(call.intent())
                : new ClaimAbandonedException(call.intent(), reason.message());
    }

    private Exception recorded(Failure failure) {
        RecordedFailureException recorded =
                new RecordedFailureException(call.intent(), failure.code(), failure.message());
        Exception translated = attempt.parts().failureTranslator().toException(recorded);
        return translated == null ? recorded : translated;
    }

    private WaitBudget waitBudget() {
        return attempt.execution().waitBudget();
    }

    private RequestInProgressException inProgress(@Nullable Exception waitEnded) {
        return new RequestInProgressException(
                call.intent(),
                RetryAfter.of(waitBudget().total()),
                "The " + call.intent() + " could not be claimed within "
                        + waitBudget().spent().toMillis()
                        + " ms, because another call with it is still running or its table is locked"
                        + (waitBudget().isCutShort()
                                ? ", and " + attempt.parts().settings().tooManyWaiting()
                                : "")
                        + ": repeat this call later with the same key"
                        + (mayRetryInNewTransaction
                                ? ""
                                : ". The transaction that this call joined cannot be committed any more"),
                waitEnded);
    }

    private Exception leased(Duration remaining) {
        return mayRetryInNewTransaction
                ? new ActiveLeaseException(remaining)
                : ActiveLeaseException.inProgress(
                        call.intent(), remaining, ", and a call that has joined a transaction cannot wait for it");
    }
}
