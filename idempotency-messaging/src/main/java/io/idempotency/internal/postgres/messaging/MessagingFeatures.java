package io.idempotency.internal.postgres.messaging;

import java.util.ArrayList;
import java.util.List;

import io.idempotency.internal.postgres.partition.MessagePartitions;
import io.idempotency.internal.postgres.schema.StorageFeature;
import io.idempotency.internal.postgres.schema.StorageFeature.SqlScript;
import io.idempotency.internal.postgres.schema.StorageTable;
import io.idempotency.internal.postgres.schema.StorageTable.Trait;

/** The tables of messages, their archive and their partitions. */
public final class MessagingFeatures {

    /** The location of the SQL functions. */
    public static final String SQL_FUNCTIONS = "io/idempotency/internal/postgres/sql-functions/messaging.sql";

    private static final StorageTable PROCESSED_MESSAGE = StorageTable.written(
                    "processed_message", "message_id, consumer", """
                    consumer, message_id, message_type, payload_hash, hash_version, processed_at, expires_at""", Trait.PARTITIONED)
            .expiringIf(StorageTable.ALWAYS)
            .uniqueBy("consumer, message_id")
            .distributedBy("message_id");

    private static final StorageTable MESSAGE_FAILURE = StorageTable.written(
                    "message_failure", "consumer, message_id", """
                    consumer, message_id, message_type, attempt_count, failure_code, failure_message,
                    first_failed_at, last_failed_at, expires_at""")
            .expiringIf(StorageTable.ALWAYS)
            .uniqueBy("consumer, message_id")
            .distributedBy("message_id");

    private static final StorageTable STREAM_POSITION = StorageTable.written(
                    "stream_position", "consumer, stream_id", "consumer, stream_id, last_version, updated_at")
            .uniqueBy("consumer, stream_id")
            .distributedBy("stream_id");

    private static final StorageTable PROCESSED_MESSAGE_EARLIER =
            StorageTable.read("processed_message_earlier", "consumer, message_id", Trait.VIEW);

    private static final StorageTable OUTBOX_EVENT = StorageTable.written(
                    "outbox_event", "message_id", """
                    message_id, sequence, topic, message_type, ordering_key, lane, aggregate_type, aggregate_id,
                    payload, headers, deduplication_key, idempotency_scope, caller, idempotency_key, status,
                    attempt_count, last_error, created_at, due_at, next_attempt_at, sent_at, expires_at""", Trait.COMMITTED_WITH_CALLS)
            .expiringIf(StorageTable.ALWAYS)
            .uniqueBy("deduplication_key, topic");

    /** The tables of inbox and outbox. */
    public static final StorageFeature MESSAGING = new StorageFeature(
            "messaging",
            "io/idempotency/internal/postgres/migration/messaging",
            List.of("V1__inbox.sql", "V2__outbox.sql"),
            "idempotency_messaging_history",
            List.of(PROCESSED_MESSAGE, MESSAGE_FAILURE, STREAM_POSITION, PROCESSED_MESSAGE_EARLIER, OUTBOX_EVENT),
            new SqlScript(SQL_FUNCTIONS, "idempotency_messaging_functions_version", 4),
            MessagePartitions::new);

    /** The archive, where the purge keeps expired messages. */
    public static final StorageFeature ARCHIVE = new StorageFeature(
            "messaging-archive",
            "io/idempotency/internal/postgres/migration/messaging-archive",
            List.of("V1__messages_archive.sql"),
            "idempotency_messaging_archive_history",
            List.of(PROCESSED_MESSAGE.archive(), MESSAGE_FAILURE.archive(), OUTBOX_EVENT.archive()));

    /** The catalog of the partitions of handled messages, and the functions that partition them. */
    public static final StorageFeature PARTITIONS = new StorageFeature(
            "partitions",
            "io/idempotency/internal/postgres/migration/partitions",
            List.of("V1__partitions.sql"),
            "idempotency_partitions_history",
            List.of(
                    StorageTable.read("processed_message_partition", "name, starts_at, ends_at, closed_at, expires_at"),
                    StorageTable.read("processed_message_head", "open_from, open_until")));

    private MessagingFeatures() {}

    /** Returns all features of this module, in the order in which they are migrated. */
    public static List<StorageFeature> all() {
        return of(true, true);
    }

    /**
     * Returns the features that an application has.
     *
     * @param archive whether the purge keeps expired messages
     * @param partitions whether handled messages are to be in partitions
     */
    public static List<StorageFeature> of(boolean archive, boolean partitions) {
        List<StorageFeature> features = new ArrayList<>(List.of(MESSAGING));
        if (archive) {
            features.add(ARCHIVE);
        }
        if (partitions) {
            features.add(PARTITIONS);
        }
        return List.copyOf(features);
    }
}
