package io.idempotency.proof;

/** What is done to a call at one of its statements. */
enum Fault {
    TERMINATED_BEFORE(false, "the backend was terminated"),
    TERMINATED_AFTER(true, "the backend was terminated"),
    CUT_BEFORE(false, "the connection was cut, and the server never saw it"),
    CUT_AFTER(true, "the connection was cut, and its answer was lost"),
    SERIALIZATION_FAILURE(false, "the server reported a serialization failure (40001)"),
    DEADLOCK(false, "the server reported a deadlock (40P01)"),
    CANCELED(false, "the server reported that the statement was canceled (57014)"),
    LOCK_NOT_AVAILABLE(false, "the server reported that a lock was not available (55P03)"),
    OUT_OF_MEMORY(false, "an OutOfMemoryError was thrown"),
    INTERRUPT(false, "the thread was interrupted"),
    VANISHED(true, "the process vanished");

    private final boolean after;

    private final String description;

    Fault(boolean after, String description) {
        this.after = after;
        this.description = description;
    }

    /** Whether the statement has had its effect. */
    boolean isAfter() {
        return after;
    }

    String description() {
        return description;
    }
}
