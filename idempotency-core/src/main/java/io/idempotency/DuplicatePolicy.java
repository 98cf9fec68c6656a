package io.idempotency;

/** The policy of a call whose key is held by another call that is still running. */
public enum DuplicatePolicy {

    /** Waits for the other call, at most for the wait timeout in total, then replays its response. */
    WAIT,

    /** Fails within 50 milliseconds with {@link RequestInProgressException}. */
    FAIL
}
