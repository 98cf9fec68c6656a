package io.idempotency.boot.messaging.metrics;

import io.idempotency.boot.metrics.IdempotencyMeters;

/** Names of the meters of messages, and of their tags, for dashboards, alerts and meter filters. */
public final class MessagingMeters {

    /**
     * Timer of deliveries of messages, by {@link #CONSUMER} and {@link IdempotencyMeters#OUTCOME}, as named by
     * {@link io.idempotency.messaging.MessageOutcome}.
     */
    public static final String INBOX_MESSAGES = "idempotency.inbox.messages";

    /**
     * Counter of attempts at handling a message that failed, by {@link #CONSUMER}, {@link IdempotencyMeters#ATTEMPT} and
     * {@link IdempotencyMeters#EXCEPTION}.
     */
    public static final String INBOX_ATTEMPT_FAILURES = "idempotency.inbox.attempt.failures";

    /**
     * Counter of executions that were retried within their delivery, by {@link #CONSUMER} and {@link IdempotencyMeters#SQLSTATE}.
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

    /** Gauge of the partitions of a partitioned table, by {@link IdempotencyMeters#TABLE}. */
    public static final String PARTITIONS = "idempotency.partitions";

    /** Gauge of the partitions of a table that are for future times, by {@link IdempotencyMeters#TABLE}. */
    public static final String PARTITIONS_AHEAD = "idempotency.partitions.ahead";

    /** Gauge of the seconds since the next partition should have been opened, by {@link IdempotencyMeters#TABLE}. */
    public static final String PARTITIONS_OVERDUE = "idempotency.partitions.overdue";

    /** Gauge of the problems of the partitions of a table, by {@link IdempotencyMeters#TABLE}. Health describes them. */
    public static final String PARTITIONS_PROBLEMS = "idempotency.partitions.problems";

    /** Tag: the consumer of a message. */
    public static final String CONSUMER = "consumer";

    /** Tag: the topic of a message to send. */
    public static final String TOPIC = "topic";

    private MessagingMeters() {}
}
