package io.idempotency;

import java.time.Duration;

/**
 * Another transaction has had a lock for longer than was waited for it. The transaction that waited is aborted; the whole of
 * it may be repeated later.
 */
public final class LockNotAcquiredException extends IdempotencyException {

    private static final long serialVersionUID = 1L;

    private final String name;

    private final String resource;

    /**
     * Creates the exception.
     *
     * @param name of the lock
     * @param resource that is locked
     * @param waitLimit the longest wait that was allowed
     * @param cause the wait's end as PostgreSQL reported it
     */
    public LockNotAcquiredException(String name, String resource, Duration waitLimit, Throwable cause) {
        super(
                null,
                "The lock '" + name + "' on '" + resource + "' could not be had within " + waitLimit.toMillis()
                        + " ms, or within the lock_timeout if that is shorter, because another transaction has it. The open"
                        + " transaction was aborted: repeat the whole of it later",
                cause);
        this.name = name;
        this.resource = resource;
    }

    /**
     * The name of the lock.
     *
     * @return what was to be done
     */
    public String name() {
        return name;
    }

    /**
     * The resource that is locked.
     *
     * @return on what it was to be done
     */
    public String resource() {
        return resource;
    }
}
