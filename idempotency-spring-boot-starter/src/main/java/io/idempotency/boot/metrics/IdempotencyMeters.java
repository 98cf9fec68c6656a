package io.idempotency.boot.metrics;

/** Names of the meters of calls and tables, and of their tags, for dashboards, alerts and meter filters. */
public final class IdempotencyMeters {

    /** Timer of idempotent calls, by {@link #SCOPE} and {@link #OUTCOME}. */
    public static final String CALLS = "idempotency.calls";

    /**
     * Counter of attempts at a call that ran and failed, by {@link #SCOPE}, {@link #ATTEMPT} and {@link #EXCEPTION}.
     */
    public static final String ATTEMPT_FAILURES = "idempotency.attempt.failures";

    /** Counter of executions that were retried within their call, by {@link #SCOPE} and {@link #SQLSTATE}. */
    public static final String RETRIES = "idempotency.retries";

    /** Counter of steps of leased calls, by {@link #SCOPE} and {@link #OUTCOME}: {@code executed} or {@code replayed}. */
    public static final String STEPS = "idempotency.steps";

    /** Counter of expired rows that were deleted, by {@link #TABLE}. */
    public static final String PURGED = "idempotency.purged";

    /** Gauge of rows, as PostgreSQL estimates them, by {@link #TABLE}. */
    public static final String ROWS = "idempotency.rows";

    /** Gauge of the seconds since the oldest row expired that the purge may delete, by {@link #TABLE}. */
    public static final String OLDEST_EXPIRED_AGE = "idempotency.oldest.expired.age";

    /** Gauge of leases that have expired and were not reclaimed. */
    public static final String STALE_LEASES = "idempotency.leases.stale";

    /** Gauge of leased calls that have failed after recorded steps and were not called again. */
    public static final String HALF_DONE = "idempotency.half.done";

    /** Tag: the scope of a call. */
    public static final String SCOPE = "scope";

    /** Tag: the outcome of a call, as named by {@link io.idempotency.Outcome}. */
    public static final String OUTCOME = "outcome";

    /** Tag: {@code first} or {@code repeat}. */
    public static final String ATTEMPT = "attempt";

    /**
     * Tag: the simple name of the class of the exception; {@code none} if an outer transaction was rolled back after
     * the call had returned.
     */
    public static final String EXCEPTION = "exception";

    /** Tag: the SQLSTATE of a failure; {@code unknown} if the driver reported no SQLSTATE. */
    public static final String SQLSTATE = "sqlstate";

    /** Tag: a table, without its schema. */
    public static final String TABLE = "table";

    /** Value that stands for all values of a tag beyond its limit. */
    public static final String OTHER = "other";

    private IdempotencyMeters() {}
}
