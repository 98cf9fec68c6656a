package io.idempotency.boot.metrics;

/** Names of the library's meters, and of their tags, for dashboards, alerts and meter filters. */
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

    /** Timer of deliveries of messages, by {@link #CONSUMER} and {@link #OUTCOME}. */
    public static final String INBOX_MESSAGES = "idempotency.inbox.messages";

    /**
     * Counter of attempts at handling a message that failed, by {@link #CONSUMER}, {@link #ATTEMPT} and
     * {@link #EXCEPTION}.
     */
    public static final String INBOX_ATTEMPT_FAILURES = "idempotency.inbox.attempt.failures";

    /**
     * Counter of executions that were retried within their delivery, by {@link #CONSUMER} and {@link #SQLSTATE}.
     */
    public static final String INBOX_RETRIES = "idempotency.inbox.retries";

    /** Timer of sent messages, from the time that they were due, by {@link #TOPIC}. */
    public static final String OUTBOX_SENT = "idempotency.outbox.sent";

    /** Counter of attempts at sending a message that failed, by {@link #TOPIC}. */
    public static final String OUTBOX_FAILED = "idempotency.outbox.failed";

    /** Counter of messages that were given up, by {@link #TOPIC}. */
    public static final String OUTBOX_DEAD = "idempotency.outbox.dead";

    /** Gauge of messages of all instances that wait to be sent. */
    public static final String OUTBOX_PENDING = "idempotency.outbox.pending";

    /** Gauge of the messages of all instances that were given up and are still stored. */
    public static final String OUTBOX_DEAD_KEPT = "idempotency.outbox.dead.kept";

    /** Gauge of the seconds that the oldest message has been due. */
    public static final String OUTBOX_OLDEST_AGE = "idempotency.outbox.oldest.age";

    /** Counter of expired rows that were deleted, by {@link #TABLE}. */
    public static final String PURGED = "idempotency.purged";

    /** Gauge of rows, as PostgreSQL estimates them, by {@link #TABLE}. */
    public static final String ROWS = "idempotency.rows";

    /** Gauge of the seconds since the oldest row expired that the purge may delete, by {@link #TABLE}. */
    public static final String OLDEST_EXPIRED_AGE = "idempotency.oldest.expired.age";

    /** Gauge of the partitions of a partitioned table, by {@link #TABLE}. */
    public static final String PARTITIONS = "idempotency.partitions";

    /** Gauge of the partitions of a table that are for future times, by {@link #TABLE}. */
    public static final String PARTITIONS_AHEAD = "idempotency.partitions.ahead";

    /** Gauge of the seconds since the next partition should have been opened, by {@link #TABLE}. */
    public static final String PARTITIONS_OVERDUE = "idempotency.partitions.overdue";

    /** Gauge of the problems of the partitions of a table, by {@link #TABLE}. Health describes them. */
    public static final String PARTITIONS_PROBLEMS = "idempotency.partitions.problems";

    /** Gauge of leases that have expired and were not reclaimed. */
    public static final String STALE_LEASES = "idempotency.leases.stale";

    /** Tag: the scope of a call. */
    public static final String SCOPE = "scope";

    /** Tag: the consumer of a message. */
    public static final String CONSUMER = "consumer";

    /** Tag: the topic of a message to send. */
    public static final String TOPIC = "topic";

    /**
     * Tag: the outcome of a call or of a delivery, as named by {@link io.idempotency.Outcome} and
     * {@link io.idempotency.observation.MessageOutcome}.
     */
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
