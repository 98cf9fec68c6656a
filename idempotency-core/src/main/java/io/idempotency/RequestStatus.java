package io.idempotency;

/** The stored state of a request. */
public enum RequestStatus {

    /** Claimed, and neither completed nor rolled back; or given up, so that an operator has to decide. */
    PROCESSING,

    /** Completed: effect and response are durable. */
    SUCCEEDED,

    /** The last attempt failed; the next one starts anew and may have another payload. */
    FAILED_RETRYABLE,

    /** Final failure: every repeat gets the recorded failure. */
    FAILED_FINAL
}
