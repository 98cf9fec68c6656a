package io.idempotency.internal.postgres.maintenance;

import java.time.OffsetDateTime;
import java.util.Objects;

import org.springframework.jdbc.core.simple.JdbcClient;

import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.request.RequestSql;
import io.idempotency.internal.postgres.schema.CoreFeatures;
import io.idempotency.internal.postgres.schema.StorageTable;

/** The expiry of the rows of one table, which are deleted or moved to its archive. */
final class TableExpiry implements Expiry {

    private final String table;

    private final String deleteExpired;

    /**
     * Prepares the statements.
     *
     * @param isDistributed whether the rows are in the shards of Citus
     */
    TableExpiry(Schema schema, StorageTable table, boolean archive, boolean isDistributed) {
        this.table = table.name();
        boolean hasHalfDone = table.equals(CoreFeatures.IDEMPOTENCY_REQUEST);
        this.deleteExpired = schema.resolve((archive ? MaintenanceSql.ARCHIVE_EXPIRED : MaintenanceSql.DELETE_EXPIRED)
                .replace("{rows}", isDistributed ? MaintenanceSql.BY_KEY : MaintenanceSql.BY_CTID)
                .replace("{expired}", MaintenanceSql.EXPIRED)
                .replace("{key}", isDistributed ? table.key() : "ctid")
                .replace("{table}", table.name())
                .replace("{condition}", Objects.requireNonNull(table.expiryCondition()))
                .replace("{columns}", table.columns())
                .replace("{needed}", hasHalfDone ? RequestSql.NEEDED_OF_EXPIRED : "expires_at")
                .replace("{half_done}", hasHalfDone ? RequestSql.FIND_HALF_DONE_OF_EXPIRED : "null::text[]"));
    }

    @Override
    public String name() {
        return table;
    }

    @Override
    public ExpiredBatch deleteExpired(JdbcClient jdbcClient, OffsetDateTime from, int limit) {
        return ExpiredBatch.execute(jdbcClient, deleteExpired, from, limit);
    }
}
