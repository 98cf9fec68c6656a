package io.idempotency;

/** How far a request got, as it is stored. */
public enum RequestStatus {

    /** Claimed, and neither completed nor rolled back. */
    PROCESSING,

    /** Completed: effect and response are durable. */
    SUCCEEDED,

    /** The last attempt failed; the next one starts afresh and may have another payload. */
    FAILED_RETRYABLE,

    /** Failed for good: every repeat gets the recorded failure. */
    FAILED_FINAL
}
