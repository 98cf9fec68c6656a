package io.idempotency.boot.web;

import java.util.List;

import org.springframework.http.HttpStatus;

import io.idempotency.ClaimAbandonedException;
import io.idempotency.IdempotencyException;
import io.idempotency.InvalidIdempotencyKeyException;
import io.idempotency.KeyReusedException;
import io.idempotency.LeaseLostException;
import io.idempotency.LockNotAcquiredException;
import io.idempotency.MissingCallerException;
import io.idempotency.MissingIdempotencyKeyException;
import io.idempotency.OutcomeUnknownException;
import io.idempotency.RecordedFailureException;
import io.idempotency.RequestInProgressException;
import io.idempotency.ResponseExpiredException;
import io.idempotency.ResponseNotStorableException;
import io.idempotency.UnreadableResponseException;

/** The problems of refused calls. */
final class CallProblems {

    static final Problem MISSING_KEY = new Problem(
            MissingIdempotencyKeyException.class,
            "missing-key",
            HttpStatus.BAD_REQUEST,
            "Idempotency-Key is missing",
            "This operation needs an Idempotency-Key: send a value of this one intent alone, such as a"
                    + " UUID, and the same one with each repeat.");

    static final Problem INVALID_KEY = new Problem(
            InvalidIdempotencyKeyException.class,
            "invalid-key",
            HttpStatus.BAD_REQUEST,
            "Idempotency-Key is not valid",
            "The Idempotency-Key is malformed.");

    static final Problem MISSING_CALLER = new Problem(
            MissingCallerException.class,
            "missing-caller",
            HttpStatus.FORBIDDEN,
            "Caller is not known",
            "This operation is for known callers only: authenticate first.");

    static final Problem IN_PROGRESS = new Problem(
            RequestInProgressException.class,
            "in-progress",
            HttpStatus.CONFLICT,
            "A request with this Idempotency-Key is in progress",
            "Repeat this request with the same Idempotency-Key to learn its result, after as many seconds as Retry-After"
                    + " says.");

    static final Problem LEASE_LOST = new Problem(
            LeaseLostException.class,
            "lease-lost",
            HttpStatus.CONFLICT,
            "Another request has taken this Idempotency-Key over",
            "This request took too long. Repeat it with the same Idempotency-Key to learn the result.");

    static final Problem ABANDONED = new Problem(
            ClaimAbandonedException.class,
            "abandoned",
            HttpStatus.CONFLICT,
            "The result of the first request is not known",
            "The first request with this Idempotency-Key did not end as it should: it may have had its effect or not. It"
                    + " is not executed again. Do not send it with a new key.");

    static final Problem LOCK_NOT_ACQUIRED = new Problem(
            LockNotAcquiredException.class,
            "lock-not-acquired",
            HttpStatus.CONFLICT,
            "Another request is working on the same thing",
            "This request would have had to wait too long for another one. Repeat it later.");

    static final Problem RESPONSE_EXPIRED = new Problem(
            ResponseExpiredException.class,
            "response-expired",
            HttpStatus.GONE,
            "The response is no longer stored",
            "The request succeeded before and is not executed again, but its response is no longer stored.");

    static final Problem KEY_REUSED = new Problem(
            KeyReusedException.class,
            "key-reused",
            HttpStatus.UNPROCESSABLE_CONTENT,
            "Idempotency-Key is already used",
            "This Idempotency-Key was used before with another request, which may have had its effect: repeat that one only"
                    + " as it was.");

    static final Problem RECORDED_FAILURE = new Problem(
            RecordedFailureException.class,
            "recorded-failure",
            HttpStatus.UNPROCESSABLE_CONTENT,
            "The request has failed before",
            "The first request with this Idempotency-Key failed for good. It is not executed again.");

    static final Problem UNREADABLE_RESPONSE = new Problem(
            UnreadableResponseException.class,
            "unreadable-response",
            HttpStatus.INTERNAL_SERVER_ERROR,
            "The response cannot be read",
            "The request succeeded before and is not executed again, but its response cannot be read.");

    static final Problem RESPONSE_NOT_STORABLE = new Problem(
            ResponseNotStorableException.class,
            "response-not-storable",
            HttpStatus.INTERNAL_SERVER_ERROR,
            "The response cannot be stored",
            "The request failed, because its response cannot be stored.");

    static final Problem OUTCOME_UNKNOWN = new Problem(
            OutcomeUnknownException.class,
            "outcome-unknown",
            HttpStatus.SERVICE_UNAVAILABLE,
            "The result of the request is not known yet",
            "The request may have had its effect or not. Repeat it later with the same Idempotency-Key: it has its effect"
                    + " once.");

    static final Problem INTERNAL_ERROR = new Problem(
            IdempotencyException.class,
            "internal-error",
            HttpStatus.INTERNAL_SERVER_ERROR,
            "Internal error",
            "The request failed unexpectedly.");

    /** All of them. The last one is that of every refusal without a problem of its own. */
    static final List<Problem> ALL = List.of(
            MISSING_KEY,
            INVALID_KEY,
            MISSING_CALLER,
            IN_PROGRESS,
            LEASE_LOST,
            ABANDONED,
            LOCK_NOT_ACQUIRED,
            RESPONSE_EXPIRED,
            KEY_REUSED,
            RECORDED_FAILURE,
            UNREADABLE_RESPONSE,
            RESPONSE_NOT_STORABLE,
            OUTCOME_UNKNOWN,
            INTERNAL_ERROR);

    private CallProblems() {}
}
