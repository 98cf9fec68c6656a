package io.idempotency.boot.web;

import java.util.Locale;
import java.util.Map;

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
import io.idempotency.inbox.MessageConflictException;
import io.idempotency.inbox.MessageGapException;

/** The problems that clients get for refused calls. The messages of the exceptions are for developers. */
enum Problem {
    MISSING_KEY(
            HttpStatus.BAD_REQUEST,
            "Idempotency-Key is missing",
            "This operation needs an Idempotency-Key: send a value that is unique to this one intent, such as a UUID."),
    INVALID_KEY(HttpStatus.BAD_REQUEST, "Idempotency-Key is not valid", "The Idempotency-Key is malformed."),
    MISSING_CALLER(
            HttpStatus.FORBIDDEN,
            "Caller is not known",
            "This operation is for known callers only: authenticate first."),
    IN_PROGRESS(
            HttpStatus.CONFLICT,
            "A request with this Idempotency-Key is in progress",
            "Repeat this request later to learn its result."),
    LEASE_LOST(
            HttpStatus.CONFLICT,
            "Another request has taken this Idempotency-Key over",
            "This request took too long. Repeat it to learn the result."),
    ABANDONED(
            HttpStatus.CONFLICT,
            "The result of the first request is not known",
            "The first request with this Idempotency-Key did not end as it should: it may have had its effect or not. It"
                    + " is not executed again. Do not send it with a new key."),
    LOCK_NOT_ACQUIRED(
            HttpStatus.CONFLICT,
            "Another request is working on the same thing",
            "This request had no effect, because it would have had to wait too long for another one. Repeat it later."),
    MESSAGE_GAP(
            HttpStatus.CONFLICT,
            "An earlier message is missing",
            "This message was not handled, because one that belongs before it has not arrived. Deliver it again later."),
    RESPONSE_EXPIRED(
            HttpStatus.GONE,
            "The response is no longer stored",
            "The request succeeded before and is not executed again, but its response is no longer stored."),
    KEY_REUSED(
            HttpStatus.UNPROCESSABLE_CONTENT,
            "Idempotency-Key is already used",
            "This Idempotency-Key was used before with another request: send a new key with a new request, and repeat a"
                    + " request only as it was."),
    MESSAGE_CONFLICT(
            HttpStatus.UNPROCESSABLE_CONTENT,
            "Another message has this id",
            "A message with this id and another content was handled before. This one was not."),
    RECORDED_FAILURE(
            HttpStatus.UNPROCESSABLE_CONTENT,
            "The request has failed before",
            "The first request with this Idempotency-Key failed for good. It is not executed again: send a new key with"
                    + " a new request."),
    UNREADABLE_RESPONSE(
            HttpStatus.INTERNAL_SERVER_ERROR,
            "The response cannot be read",
            "The request succeeded before and is not executed again, but its response cannot be read."),
    RESPONSE_NOT_STORABLE(
            HttpStatus.INTERNAL_SERVER_ERROR, "The response cannot be stored", "The request failed and had no effect."),
    OUTCOME_UNKNOWN(
            HttpStatus.SERVICE_UNAVAILABLE,
            "The result of the request is not known yet",
            "The request may have had its effect or not. Repeat it later with the same Idempotency-Key: it has its effect"
                    + " once."),
    INTERNAL_ERROR(HttpStatus.INTERNAL_SERVER_ERROR, "Internal error", "The request failed unexpectedly.");

    /** Placeholder for the name of the header in the texts. */
    private static final String HEADER = "Idempotency-Key";

    private static final Map<Class<? extends IdempotencyException>, Problem> BY_EXCEPTION = Map.ofEntries(
            Map.entry(MissingIdempotencyKeyException.class, MISSING_KEY),
            Map.entry(InvalidIdempotencyKeyException.class, INVALID_KEY),
            Map.entry(MissingCallerException.class, MISSING_CALLER),
            Map.entry(RequestInProgressException.class, IN_PROGRESS),
            Map.entry(LeaseLostException.class, LEASE_LOST),
            Map.entry(ClaimAbandonedException.class, ABANDONED),
            Map.entry(LockNotAcquiredException.class, LOCK_NOT_ACQUIRED),
            Map.entry(MessageGapException.class, MESSAGE_GAP),
            Map.entry(ResponseExpiredException.class, RESPONSE_EXPIRED),
            Map.entry(KeyReusedException.class, KEY_REUSED),
            Map.entry(MessageConflictException.class, MESSAGE_CONFLICT),
            Map.entry(RecordedFailureException.class, RECORDED_FAILURE),
            Map.entry(UnreadableResponseException.class, UNREADABLE_RESPONSE),
            Map.entry(OutcomeUnknownException.class, OUTCOME_UNKNOWN),
            Map.entry(ResponseNotStorableException.class, RESPONSE_NOT_STORABLE));

    private final HttpStatus status;

    private final String title;

    private final String detail;

    Problem(HttpStatus status, String title, String detail) {
        this.status = status;
        this.title = title;
        this.detail = detail;
    }

    static Problem of(IdempotencyException refusal) {
        return BY_EXCEPTION.getOrDefault(refusal.getClass(), INTERNAL_ERROR);
    }

    HttpStatus status() {
        return status;
    }

    /** Returns a summary that is the same for all problems of this kind. */
    String title(String headerName) {
        return title.replace(HEADER, headerName);
    }

    /** Returns an explanation that discloses nothing about the application. */
    String detail(String headerName) {
        return detail.replace(HEADER, headerName);
    }

    /** Returns the last part of the problem's type URI. */
    String slug() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
