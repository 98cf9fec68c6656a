package io.idempotency.claim;

/** The states of a request that are stored; see {@link ClaimStore} for what leads from one to the other. */
public enum RequestStatus {

    /** Claimed, and neither completed nor rolled back. */
    PROCESSING,

    /** Completed: effect and response are durable. */
    SUCCEEDED
}
