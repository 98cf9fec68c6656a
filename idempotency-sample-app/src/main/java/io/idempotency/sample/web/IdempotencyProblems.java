package io.idempotency.sample.web;

import java.time.Duration;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

import io.idempotency.ClaimAbandonedException;
import io.idempotency.IdempotencyException;
import io.idempotency.InvalidIdempotencyKeyException;
import io.idempotency.KeyReusedException;
import io.idempotency.MissingIdempotencyKeyException;
import io.idempotency.RequestInProgressException;
import io.idempotency.ResponseExpiredException;

/**
 * Answers calls that the idempotency library refused. Its messages are for developers, so clients read others here. Comes
 * before {@link Problems}, which answers everything.
 */
@RestControllerAdvice
@Order(0)
class IdempotencyProblems {

    private static final Logger logger = LoggerFactory.getLogger(IdempotencyProblems.class);

    @ExceptionHandler
    ProblemDetail missingKey(MissingIdempotencyKeyException refusal) {
        return Problem.of(
                HttpStatus.BAD_REQUEST,
                "Idempotency-Key is missing",
                "Send an Idempotency-Key header with a value that is unique to this one intent, such as a UUID.");
    }

    @ExceptionHandler
    ProblemDetail invalidKey(InvalidIdempotencyKeyException refusal) {
        return Problem.of(HttpStatus.BAD_REQUEST, "Idempotency-Key is not valid", refusal.getMessage() + ".");
    }

    @ExceptionHandler
    ProblemDetail keyReused(KeyReusedException refusal) {
        return Problem.of(
                HttpStatus.UNPROCESSABLE_CONTENT,
                "Idempotency-Key is already used",
                "This Idempotency-Key was used before with another request: send a new key with a new request, and"
                        + " repeat a request only as it was.");
    }

    @ExceptionHandler
    ResponseEntity<ProblemDetail> inProgress(RequestInProgressException refusal) {
        return ResponseEntity.status(HttpStatus.CONFLICT)
                .header(HttpHeaders.RETRY_AFTER, Long.toString(wholeSeconds(refusal.retryAfter())))
                .body(Problem.of(
                        HttpStatus.CONFLICT,
                        "A request with this Idempotency-Key is in progress",
                        "Repeat this request later to learn its result."));
    }

    @ExceptionHandler
    ProblemDetail abandoned(ClaimAbandonedException refusal) {
        logger.error("A payment has an unknown outcome", refusal);
        return Problem.of(
                HttpStatus.CONFLICT,
                "The result of the first request is not known",
                "The first request with this Idempotency-Key did not end as it should. It is not executed again.");
    }

    @ExceptionHandler
    ProblemDetail responseExpired(ResponseExpiredException refusal) {
        return Problem.of(
                HttpStatus.GONE,
                "The response is no longer stored",
                "The request succeeded before and is not executed again, but its response is no longer stored.");
    }

    /** What is left are faults of this application: its response type, its transactions, its code. */
    @ExceptionHandler
    ProblemDetail fault(IdempotencyException fault) {
        logger.error("An idempotent call failed", fault);
        return Problem.unexpected();
    }

    /** Retry-After has no fractions; a client that comes back too early waits twice. */
    private static long wholeSeconds(Duration duration) {
        return duration.plusSeconds(1).minusNanos(1).toSeconds();
    }
}
