package io.idempotency.sample.web;

import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;

/** Makes problem details. */
final class Problem {

    private Problem() {}

    static ProblemDetail of(HttpStatus status, String title, @Nullable String detail) {
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(status, detail);
        problem.setTitle(title);
        return problem;
    }

    /** Tells nothing of what happened: that is in the log. */
    static ProblemDetail unexpected() {
        return of(
                HttpStatus.INTERNAL_SERVER_ERROR,
                "Internal error",
                "The request failed. Repeat it with the same Idempotency-Key: nothing is done twice.");
    }
}
