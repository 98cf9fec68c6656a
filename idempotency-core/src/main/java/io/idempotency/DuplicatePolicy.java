package io.idempotency;

/** What a call does that finds its key held by another call that is still running. */
public enum DuplicatePolicy {

    /** Waits for the other call, at most for the wait timeout in all, then replays its response. */
    WAIT,

    /** Fails within 50 milliseconds with {@link RequestInProgressException}. */
    FAIL
}
