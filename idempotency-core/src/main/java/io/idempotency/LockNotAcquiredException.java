package io.idempotency;

import java.time.Duration;

/**
 * Thrown if another transaction held a lock for longer than the allowed wait. The transaction that waited is aborted;
 * it may be repeated as a whole later.
 */
public final class LockNotAcquiredException extends IdempotencyException {

    private static final long serialVersionUID = 1L;

    private final String name;

    private final String resource;

    /**
     * Creates the exception.
     *
     * @param name name of the lock
     * @param resource locked resource
     * @param waitLimit longest wait that was allowed
     * @param cause the error that PostgreSQL reported for the wait
     */
    public LockNotAcquiredException(String name, String resource, Duration waitLimit, Throwable cause) {
        super(
                null,
                "The lock '" + name + "' on '" + resource + "' could not be acquired within " + waitLimit.toMillis()
                        + " ms, or within the lock_timeout if that is shorter, because another transaction holds it. The"
                        + " open transaction was aborted: repeat the whole of it later",
                cause);
        this.name = name;
        this.resource = resource;
    }

    /** {@return the name of the lock} */
    public String name() {
        return name;
    }

    /** {@return the locked resource} */
    public String resource() {
        return resource;
    }
}
