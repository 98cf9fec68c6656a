package io.idempotency.boot.flyway;

import java.util.Locale;
import javax.sql.DataSource;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.idempotency.boot.IdempotencyProperties.StorageLayout;
import io.idempotency.internal.postgres.schema.StorageSchema;

/**
 * Puts handled messages in partitions if that is set and the table is empty. Whatever else differs from the setting is said:
 * the table says how it is, and the application works with either.
 */
final class MessagePartitionSettings {

    private static final Logger logger = LoggerFactory.getLogger(MessagePartitionSettings.class);

    private final StorageSchema schema;

    private final StorageLayout layout;

    MessagePartitionSettings(StorageSchema schema, StorageLayout layout) {
        this.schema = schema;
        this.layout = layout;
    }

    /** As the owner of the tables. */
    void apply(DataSource owner) {
        layout.period().ifPresent(period -> schema.partitionIfEmpty(owner, period));
    }

    void warn() {
        boolean isPartitioned = schema.isPartitioned();
        if (isPartitioned && layout == StorageLayout.ROWS) {
            logger.warn(
                    "The table processed_message is in partitions, though idempotency.storage says rows. It stays so, and"
                            + " its partitions are maintained; set idempotency.storage as the table is");
        } else if (!isPartitioned && layout != StorageLayout.ROWS) {
            logger.warn(
                    "The table processed_message is not in partitions, though idempotency.storage says {}: it holds rows, is"
                            + " in use, or would lose what others have made for it. It is used as it is, and its rows are"
                            + " deleted one by one; the page docs/partitions.md tells how to put it in partitions",
                    layout.name().toLowerCase(Locale.ROOT));
        }
    }
}
