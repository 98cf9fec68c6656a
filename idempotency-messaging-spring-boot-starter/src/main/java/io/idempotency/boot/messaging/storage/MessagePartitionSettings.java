package io.idempotency.boot.messaging.storage;

import java.util.Locale;
import javax.sql.DataSource;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.idempotency.boot.flyway.SchemaCallback;
import io.idempotency.boot.messaging.storage.IdempotencyStorageProperties.Partitioning;
import io.idempotency.internal.postgres.messaging.PostgresMessageStorage;

/**
 * The settings of the partitions of handled messages. The table is partitioned only if it is empty. If it still differs
 * from the settings, that is only reported, because the application works with both.
 */
final class MessagePartitionSettings implements SchemaCallback {

    private static final Logger logger = LoggerFactory.getLogger(MessagePartitionSettings.class);

    private final PostgresMessageStorage storage;

    private final Partitioning partitioning;

    MessagePartitionSettings(PostgresMessageStorage storage, Partitioning partitioning) {
        this.storage = storage;
        this.partitioning = partitioning;
    }

    /** Partitions the table as the owner of the tables. */
    @Override
    public void afterMigration(DataSource owner) {
        partitioning.period().ifPresent(period -> storage.partitionIfEmpty(owner, period));
    }

    @Override
    public void afterValidation() {
        boolean isPartitioned = storage.isPartitioned();
        if (isPartitioned && partitioning == Partitioning.ROWS) {
            logger.warn(
                    "The table processed_message is in partitions, though idempotency.storage.processed-messages is rows. It"
                            + " stays so, and where this instance maintains them, new partitions are of a day. Set the property"
                            + " to match the table, so that the tables of its partitions are migrated and checked as well");
        } else if (!isPartitioned && partitioning != Partitioning.ROWS) {
            logger.warn(
                    "The table processed_message is not in partitions, though idempotency.storage.processed-messages is {}: it"
                            + " holds rows, is in use, or would lose objects that others have created for it. It is used as it is,"
                            + " and its rows are deleted one by one; the page docs/partitions.md describes how to partition it",
                    partitioning.name().toLowerCase(Locale.ROOT));
        }
    }
}
