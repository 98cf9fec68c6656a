package io.idempotency.internal.postgres.schema;

import java.util.Locale;
import java.util.stream.Stream;

/** The tables of the schema, in the order in which the migrations create them. */
public enum StorageTable {

    /**
     * Requests. An expired lease is deleted after its retention like a success, because no repeat is expected any more. An
     * abandoned request stays until an operator decides about it.
     */
    IDEMPOTENCY_REQUEST("request_id", """
            request_id, idempotency_scope, caller, idempotency_key, request_hash, hash_version, status,
            result_ref_type, result_ref_id, response_body, failure_code, failure_message, steps, claimed_by, claim_token, claimed_at, locked_until, attempt_count, created_at, updated_at, expires_at,
            response_expires_at""", true, "(status <> 'processing' or locked_until < statement_timestamp())"),

    /** Handled messages, which may be in partitions. */
    PROCESSED_MESSAGE("message_id, consumer", """
            consumer, message_id, message_type, payload_hash, hash_version, processed_at, expires_at""", true, Condition.ALWAYS),

    /** Failures of messages that were not handled yet. */
    MESSAGE_FAILURE("consumer, message_id", """
            consumer, message_id, message_type, attempt_count, failure_code, failure_message,
            first_failed_at, last_failed_at, expires_at""", true, Condition.ALWAYS),

    /** Positions of streams. */
    STREAM_POSITION("consumer, stream_id", "consumer, stream_id, last_version, updated_at", true, Condition.NEVER),

    /** Messages to send. */
    OUTBOX_EVENT("message_id", """
            message_id, sequence, topic, message_type, ordering_key, lane, aggregate_type, aggregate_id,
            payload, headers, deduplication_key, idempotency_scope, caller, idempotency_key, status,
            attempt_count, last_error, created_at, due_at, next_attempt_at, sent_at, expires_at""", true, Condition.ALWAYS),

    /** The purge lease, a single row. */
    PURGE_LEASE("one_row", "one_row, run_id, held_by, started_at, held_until", true, Condition.NEVER),

    /** The catalog of partitions. */
    PROCESSED_MESSAGE_PARTITION("name", "name, starts_at, ends_at, closed_at, expires_at", false, Condition.NEVER),

    /** The open partition. */
    PROCESSED_MESSAGE_HEAD("one_row", "open_from, open_until", false, Condition.NEVER),

    /** Messages that were handled before the table was partitioned. */
    PROCESSED_MESSAGE_EARLIER("consumer, message_id", "consumer, message_id", false, Condition.NEVER);

    private final String key;

    private final String columns;

    private final boolean writable;

    private final String expiryCondition;

    StorageTable(String key, String columns, boolean writable, String expiryCondition) {
        this.key = key;
        this.columns = columns;
        this.writable = writable;
        this.expiryCondition = expiryCondition;
    }

    /**
     * Returns the name.
     *
     * @return the name without the schema
     */
    public String tableName() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the columns of the primary key. */
    public String key() {
        return key;
    }

    /** Returns the columns that this version knows. */
    public String columns() {
        return columns;
    }

    /**
     * Returns whether the application's role writes the table.
     *
     * @return {@code false} if only its owner does
     */
    public boolean isWritable() {
        return writable;
    }

    /**
     * Returns whether rows expire.
     *
     * @return whether the purge deletes rows
     */
    public boolean expires() {
        return !expiryCondition.equals(Condition.NEVER);
    }

    /** Returns the condition under which an expired row is deleted. */
    public String expiryCondition() {
        return expiryCondition;
    }

    /** Returns the tables that the application's role writes. */
    public static Stream<StorageTable> writable() {
        return Stream.of(values()).filter(StorageTable::isWritable);
    }

    /** Returns the tables that the application's role only reads. */
    public static Stream<StorageTable> readOnly() {
        return Stream.of(values()).filter(table -> !table.isWritable());
    }

    /** Returns the tables whose rows expire. */
    public static Stream<StorageTable> expiring() {
        return Stream.of(values()).filter(StorageTable::expires);
    }

    /** The conditions that several tables share. */
    private static final class Condition {

        static final String ALWAYS = "true";

        static final String NEVER = "false";
    }
}
