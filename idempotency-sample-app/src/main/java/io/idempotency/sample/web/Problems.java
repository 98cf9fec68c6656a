package io.idempotency.sample.web;

import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.validation.FieldError;
import org.springframework.web.bind.MethodArgumentNotValidException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.method.annotation.HandlerMethodValidationException;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.exc.MismatchedInputException;

import io.idempotency.inbox.MessageConflictException;
import io.idempotency.sample.accounts.AccountExistsException;
import io.idempotency.sample.accounts.EventNotFoundException;
import io.idempotency.sample.accounts.InsufficientFundsException;
import io.idempotency.sample.accounts.UnknownAccountException;
import io.idempotency.sample.accounts.VersionConflictException;
import io.idempotency.sample.payments.PaymentNotFoundException;
import io.idempotency.sample.projections.ProjectionNotFoundException;
import io.idempotency.sample.projections.RebuildSupersededException;
import io.idempotency.sample.webhooks.InvalidSignatureException;
import io.idempotency.sample.webhooks.UnreadableWebhookException;
import io.idempotency.sample.webhooks.WebhookTooLargeException;

/**
 * Answers requests that failed. Those that the idempotency library refused are not among them, even though there is a
 * handler of any exception: the starter answers them before.
 */
@RestControllerAdvice
class Problems extends ResponseEntityExceptionHandler {

    private static final String NOT_VALID = "Request is not valid";

    @ExceptionHandler
    ProblemDetail unknownAccount(UnknownAccountException failure) {
        return Problem.of(HttpStatus.NOT_FOUND, "Unknown account", failure.getMessage());
    }

    @ExceptionHandler
    ProblemDetail paymentNotFound(PaymentNotFoundException failure) {
        return Problem.of(HttpStatus.NOT_FOUND, "Unknown payment", failure.getMessage());
    }

    @ExceptionHandler
    ProblemDetail eventNotFound(EventNotFoundException failure) {
        return Problem.of(HttpStatus.NOT_FOUND, "Unknown event", failure.getMessage());
    }

    @ExceptionHandler
    ProblemDetail accountExists(AccountExistsException failure) {
        return Problem.of(HttpStatus.CONFLICT, "Account exists", failure.getMessage());
    }

    @ExceptionHandler
    ProblemDetail versionConflict(VersionConflictException failure) {
        ProblemDetail problem = Problem.of(HttpStatus.CONFLICT, "Version conflict", failure.getMessage());
        problem.setProperty("expectedVersion", failure.expectedVersion());
        problem.setProperty("currentVersion", failure.currentVersion());
        return problem;
    }

    @ExceptionHandler
    ProblemDetail projectionNotFound(ProjectionNotFoundException failure) {
        return Problem.of(HttpStatus.NOT_FOUND, "Unknown projection", failure.getMessage());
    }

    @ExceptionHandler
    ProblemDetail rebuildSuperseded(RebuildSupersededException failure) {
        return Problem.of(HttpStatus.CONFLICT, "Rebuild superseded", failure.getMessage());
    }

    @ExceptionHandler
    ProblemDetail insufficientFunds(InsufficientFundsException failure) {
        return Problem.of(HttpStatus.UNPROCESSABLE_CONTENT, "Insufficient funds", failure.getMessage());
    }

    @ExceptionHandler
    ProblemDetail invalidSignature(InvalidSignatureException failure) {
        logger.warn("A webhook was refused: " + failure.getMessage());
        return Problem.of(
                HttpStatus.UNAUTHORIZED,
                "Signature is not valid",
                "The signature is missing, too old, or not that of these bytes.");
    }

    @ExceptionHandler
    ProblemDetail unreadableWebhook(UnreadableWebhookException failure) {
        logger.warn("A webhook was not understood", failure);
        return Problem.of(HttpStatus.BAD_REQUEST, NOT_VALID, failure.getMessage());
    }

    @ExceptionHandler
    ProblemDetail webhookTooLarge(WebhookTooLargeException failure) {
        return Problem.of(HttpStatus.CONTENT_TOO_LARGE, "Request is too large", failure.getMessage());
    }

    @ExceptionHandler
    ProblemDetail messageConflict(MessageConflictException failure) {
        logger.warn("A webhook was refused: " + failure.getMessage());
        return Problem.of(
                HttpStatus.UNPROCESSABLE_CONTENT,
                "Event has changed",
                "An event with this id was received before, with another body.");
    }

    @ExceptionHandler
    ProblemDetail unexpected(Exception failure) {
        logger.error("A request failed", failure);
        return Problem.unexpected();
    }

    @Override
    protected @Nullable ResponseEntity<Object> handleMethodArgumentNotValid(
            MethodArgumentNotValidException failure, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        return badRequest(failure, sentence(failure.getFieldErrors().stream().map(Problems::describe)), request);
    }

    @Override
    protected @Nullable ResponseEntity<Object> handleHandlerMethodValidationException(
            HandlerMethodValidationException failure, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        Stream<String> errors = failure.getParameterValidationResults().stream()
                .flatMap(result -> result.getResolvableErrors().stream()
                        .map(error -> error instanceof FieldError field
                                ? describe(field)
                                : result.getMethodParameter().getParameterName() + " " + error.getDefaultMessage()));
        return badRequest(failure, sentence(errors), request);
    }

    @Override
    protected @Nullable ResponseEntity<Object> handleHttpMessageNotReadable(
            HttpMessageNotReadableException failure, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        String detail = failure.getCause() instanceof JacksonException unreadable
                        && !unreadable.getPath().isEmpty()
                ? describe(unreadable)
                : "The body is missing or not valid JSON.";
        return badRequest(failure, detail, request);
    }

    private @Nullable ResponseEntity<Object> badRequest(Exception failure, String detail, WebRequest request) {
        ProblemDetail problem = Problem.of(HttpStatus.BAD_REQUEST, NOT_VALID, detail);
        return handleExceptionInternal(failure, problem, new HttpHeaders(), HttpStatus.BAD_REQUEST, request);
    }

    private static String describe(FieldError error) {
        return error.getField() + " " + error.getDefaultMessage();
    }

    /** Jackson's own message names classes. */
    private static String describe(JacksonException unreadable) {
        String field = unreadable.getPath().stream()
                .map(JacksonException.Reference::getPropertyName)
                .collect(Collectors.joining("."));
        return unreadable instanceof MismatchedInputException mismatch
                        && mismatch.getTargetType() != null
                        && mismatch.getTargetType().isEnum()
                ? field + " must be one of "
                        + Arrays.toString(mismatch.getTargetType().getEnumConstants()) + "."
                : field + " has a value of the wrong type.";
    }

    /** Sorted, because the order of violations is not defined: a repeated request is to fail in the same words. */
    private static String sentence(Stream<String> errors) {
        return errors.sorted().distinct().collect(Collectors.joining("; ", "", "."));
    }
}
