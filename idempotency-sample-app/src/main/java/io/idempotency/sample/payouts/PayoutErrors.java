package io.idempotency.sample.payouts;

import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

import io.idempotency.RecordedFailureException;
import io.idempotency.sample.provider.ProviderUnavailableException;

/**
 * Answers payouts that failed. What is recorded as final is answered in the same words again. The handler that names an
 * exception of the idempotency library comes before the starter, which answers all others.
 */
@RestControllerAdvice(assignableTypes = PayoutController.class)
@Order(0)
class PayoutErrors {

    private static final String RETRY_AFTER_SECONDS = "1";

    @ExceptionHandler
    ProblemDetail refused(PayoutRefusedException failure) {
        return problem(HttpStatus.UNPROCESSABLE_CONTENT, "Payout refused", failure.getMessage());
    }

    @ExceptionHandler
    ProblemDetail refusalRecorded(RecordedFailureException failure) {
        return problem(HttpStatus.UNPROCESSABLE_CONTENT, "Payout refused", failure.recordedMessage());
    }

    @ExceptionHandler
    ResponseEntity<ProblemDetail> unavailable(ProviderUnavailableException failure) {
        return ResponseEntity.status(HttpStatus.SERVICE_UNAVAILABLE)
                .header(HttpHeaders.RETRY_AFTER, RETRY_AFTER_SECONDS)
                .body(problem(
                        HttpStatus.SERVICE_UNAVAILABLE,
                        "Payment provider is unavailable",
                        failure.getMessage()
                                + " Repeat the request with the same Idempotency-Key: nothing is paid twice."));
    }

    private static ProblemDetail problem(HttpStatus status, String title, @Nullable String detail) {
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(status, detail);
        problem.setTitle(title);
        return problem;
    }
}
