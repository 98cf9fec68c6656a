package io.idempotency.sample.demo;

/** The page asked for a failure. */
class RequestedFailureException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    RequestedFailureException() {
        super("The page asked for a failure after the effect");
    }
}
