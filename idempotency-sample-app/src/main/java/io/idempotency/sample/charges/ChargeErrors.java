package io.idempotency.sample.charges;

import java.util.stream.Collectors;

import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.MethodArgumentNotValidException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestControllerAdvice;

import io.idempotency.KeyReusedException;
import io.idempotency.sample.accounts.InsufficientFundsException;
import io.idempotency.sample.accounts.UnknownAccountException;

/**
 * Answers charges that failed as Stripe does, so that its clients throw what they throw there. The handler that names an
 * exception of the idempotency library comes before the starter, which answers all others.
 */
@RestControllerAdvice(assignableTypes = ChargeController.class)
@Order(0)
class ChargeErrors {

    private static final String INVALID_REQUEST = "invalid_request_error";

    @ExceptionHandler
    @ResponseStatus(HttpStatus.PAYMENT_REQUIRED)
    ChargeError insufficientFunds(InsufficientFundsException failure) {
        return new ChargeError(
                new ChargeError.Body("card_error", "card_declined", "insufficient_funds", null, failure.getMessage()));
    }

    @ExceptionHandler
    @ResponseStatus(HttpStatus.BAD_REQUEST)
    ChargeError unknownAccount(UnknownAccountException failure) {
        return new ChargeError(
                new ChargeError.Body(INVALID_REQUEST, "resource_missing", null, "source", failure.getMessage()));
    }

    @ExceptionHandler
    @ResponseStatus(HttpStatus.BAD_REQUEST)
    ChargeError keyReused(KeyReusedException refusal) {
        return ChargeError.of(
                "idempotency_error",
                "This Idempotency-Key was used before with other parameters: repeat the first request as it was.");
    }

    /** Sorted, because the order of violations is not defined: a repeated request is to fail in the same words. */
    @ExceptionHandler
    @ResponseStatus(HttpStatus.BAD_REQUEST)
    ChargeError notValid(MethodArgumentNotValidException failure) {
        String message = failure.getFieldErrors().stream()
                .map(error -> error.isBindingFailure()
                        ? error.getField() + " has a value of the wrong type"
                        : error.getField() + " " + error.getDefaultMessage())
                .sorted()
                .distinct()
                .collect(Collectors.joining("; ", "", "."));
        return ChargeError.of(INVALID_REQUEST, message);
    }
}
