package io.idempotency.boot.web;

import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.MessageSource;
import org.springframework.context.i18n.LocaleContextHolder;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.ErrorResponse;

import io.idempotency.IdempotencyException;
import io.idempotency.InvalidIdempotencyKeyException;
import io.idempotency.MissingIdempotencyKeyException;
import io.idempotency.OutcomeUnknownException;
import io.idempotency.RecordedFailureException;
import io.idempotency.RequestInProgressException;

/**
 * The factory of the responses to refused calls. Messages of the application can replace titles and details.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9457">RFC 9457, Problem Details for HTTP APIs</a>
 */
final class IdempotencyProblems {

    private static final Logger logger = LoggerFactory.getLogger(IdempotencyProblems.class);

    private static final String KEY = "key";

    private final IdempotencyHttpProperties properties;

    private final MessageSource messages;

    private final Map<Class<? extends IdempotencyException>, Problem> byRefusal;

    /**
     * Creates the factory.
     *
     * @param others problems of other refusals than those of calls
     */
    IdempotencyProblems(IdempotencyHttpProperties properties, MessageSource messages, Stream<Problem> others) {
        this.properties = properties;
        this.messages = messages;
        this.byRefusal = Stream.concat(CallProblems.ALL.stream(), others)
                .collect(Collectors.toUnmodifiableMap(Problem::refusal, problem -> problem));
    }

    ResponseEntity<ProblemDetail> answer(IdempotencyException refusal, HttpServletRequest request) {
        Problem problem = byRefusal.getOrDefault(refusal.getClass(), CallProblems.INTERNAL_ERROR);
        HttpStatusCode status = statusOf(problem, refusal);
        if (status.is5xxServerError()) {
            logger.error("An idempotent call failed", refusal);
        } else if (refusal instanceof InvalidIdempotencyKeyException invalid
                && !KeyHeader.isRefusalOf(request, refusal)) {
            logger.warn("A {} that did not come from the header is not valid", invalid.valueName(), refusal);
        } else if (refusal instanceof MissingIdempotencyKeyException missing
                && KEY.equals(missing.valueName())
                && request.getHeader(properties.headerName()) != null) {
            logger.warn(
                    "The call of a {} request got no key, although the request has the header {}: only a parameter with"
                            + " @IdempotencyKeyHeader gets it, and not for GET, HEAD, OPTIONS and TRACE. {}.",
                    request.getMethod(),
                    properties.headerName(),
                    refusal.getMessage());
        } else {
            logger.debug("An idempotent call was refused", refusal);
        }
        ErrorResponse.Builder answer = answerTo(refusal, problem, status, detailOf(problem, refusal, request));
        Duration retryAfter = retryAfterOf(refusal);
        if (retryAfter != null) {
            answer.header(HttpHeaders.RETRY_AFTER, Long.toString(wholeSeconds(retryAfter)));
        }
        if (refusal instanceof RecordedFailureException failure && isPublic(failure)) {
            answer.property("code", failure.code());
        }
        return localized(answer.build());
    }

    private ErrorResponse.Builder answerTo(Exception refusal, Problem problem, HttpStatusCode status, String detail) {
        ErrorResponse.Builder answer = ErrorResponse.builder(refusal, status, detail)
                .type(URI.create(properties.problemTypeBase() + problem.slug()))
                .title(problem.title(properties.headerName()));
        if (properties.documentationUrl() != null) {
            answer.header(HttpHeaders.LINK, "<" + properties.documentationUrl() + ">; rel=\"describedby\"");
        }
        return answer;
    }

    private ResponseEntity<ProblemDetail> localized(ErrorResponse answer) {
        return ResponseEntity.status(answer.getStatusCode())
                .headers(answer.getHeaders())
                .body(answer.updateAndGetBody(messages, LocaleContextHolder.getLocale()));
    }

    private HttpStatusCode statusOf(Problem problem, IdempotencyException refusal) {
        Integer mapped = refusal instanceof RecordedFailureException failure
                ? properties.failureStatus().get(failure.code())
                : null;
        return mapped == null ? problem.status() : HttpStatusCode.valueOf(mapped);
    }

    private static @Nullable Duration retryAfterOf(IdempotencyException refusal) {
        if (refusal instanceof OutcomeUnknownException unknown) {
            return unknown.retryAfter();
        }
        return refusal instanceof RequestInProgressException inProgress ? inProgress.retryAfter() : null;
    }

    /** Returns whether clients may see the code. Unless it is mapped to a status, it may be the name of a class. */
    private boolean isPublic(RecordedFailureException failure) {
        return properties.failureStatus().containsKey(failure.code());
    }

    /**
     * Returns the message only if it is about the header; others would disclose details of the application. A sender whose
     * request lacks another value than the key, such as a webhook the id of its message, is told of no header.
     */
    private String detailOf(Problem problem, IdempotencyException refusal, HttpServletRequest request) {
        if (KeyHeader.isRefusalOf(request, refusal)) {
            return refusal.getMessage() + ".";
        }
        if (refusal instanceof MissingIdempotencyKeyException missing && !KEY.equals(missing.valueName())) {
            return "This request has no " + missing.valueName() + ". An " + properties.headerName()
                    + " does not replace it.";
        }
        if (refusal instanceof InvalidIdempotencyKeyException invalid && !KEY.equals(invalid.valueName())) {
            return "The " + invalid.valueName() + " of this request is blank or malformed.";
        }
        return problem.detail(properties.headerName());
    }

    /** Rounds up, because Retry-After has no fractions and a client that retries too early waits twice. */
    private static long wholeSeconds(Duration duration) {
        return duration.plusSeconds(1).minusNanos(1).toSeconds();
    }
}
