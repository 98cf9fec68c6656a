package io.idempotency.boot.flyway;

import java.util.Locale;
import java.util.Set;
import javax.sql.DataSource;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.idempotency.boot.IdempotencyProperties;
import io.idempotency.boot.IdempotencyProperties.StorageLayout;
import io.idempotency.postgres.StorageSchema;

/**
 * Puts tables in partitions as they are set, as long as they are empty. Whatever else differs from the settings is said:
 * the table says how it is, and the application works with either.
 */
final class TableLayoutSettings {

    private static final Logger logger = LoggerFactory.getLogger(TableLayoutSettings.class);

    private final StorageSchema schema;

    private final IdempotencyProperties.Storage settings;

    TableLayoutSettings(StorageSchema schema, IdempotencyProperties.Storage settings) {
        this.schema = schema;
        this.settings = settings;
    }

    /** As the owner of the tables. */
    void apply(DataSource owner) {
        settings.layouts()
                .forEach((table, layout) ->
                        layout.leafLength().ifPresent(length -> schema.partitionIfEmpty(owner, table, length)));
    }

    void warn() {
        Set<String> partitioned = schema.findPartitioned();
        settings.layouts().forEach((table, layout) -> {
            boolean isPartitioned = partitioned.contains(table);
            if (isPartitioned && layout == StorageLayout.ROWS) {
                logger.warn(
                        "The table {} is in partitions, though idempotency.storage says rows. It stays so, and its"
                                + " partitions are maintained; set idempotency.storage as the table is",
                        table);
            } else if (!isPartitioned && layout != StorageLayout.ROWS) {
                logger.warn(
                        "The table {} is not in partitions, though idempotency.storage says {}: it holds rows, is in use,"
                                + " or would lose what others have made for it. It is used as it is, and its rows are"
                                + " deleted one by one; the page docs/partitions.md tells how to put it in partitions",
                        table,
                        layout.name().toLowerCase(Locale.ROOT));
            }
        });
    }
}
