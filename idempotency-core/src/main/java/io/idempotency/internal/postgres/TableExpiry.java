package io.idempotency.internal.postgres;

import java.time.OffsetDateTime;

import org.springframework.jdbc.core.simple.JdbcClient;

import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.schema.StorageTable;

/** Forgets the rows of one table after their time, or moves them to its archive. */
final class TableExpiry implements Expiry {

    /**
     * By ctid, because a join by key reads the primary key once more for each row. A table that is put in partitions during a
     * run has many rows of one ctid, so that it is asked once more whether the row has expired.
     */
    private static final String DELETE = """
            delete from {schema}.{table}
            where ctid = any (array(
                select ctid
                from {schema}.{table}
                where expires_at >= ? and expires_at < statement_timestamp() and {condition}
                order by expires_at
                limit ?
                for update skip locked))
                and expires_at < statement_timestamp() and {condition}
            returning\s""";

    private static final String COUNT = "select count(*) as batch_rows, max(expires_at) as last_expired from expired";

    private static final String DELETE_EXPIRED = "with expired as (" + DELETE + "expires_at)\n" + COUNT;

    /** One statement, so that no row is ever in both tables or in neither. */
    private static final String ARCHIVE_EXPIRED = "with expired as (" + DELETE + """
            {columns}),
            archived as (
                insert into {schema}.{table}_archive ({columns}, archived_at)
                select {columns}, clock_timestamp()
                from expired)
            """ + COUNT;

    private final String table;

    private final String deleteExpired;

    /**
     * Prepares the statements.
     *
     * @param schema holds the table
     * @param table whose rows expire
     * @param archive whether they are moved to the table's archive
     */
    TableExpiry(Schema schema, StorageTable table, boolean archive) {
        this.table = table.tableName();
        this.deleteExpired = schema.resolve((archive ? ARCHIVE_EXPIRED : DELETE_EXPIRED)
                .replace("{table}", table.tableName())
                .replace("{condition}", table.expiryCondition())
                .replace("{columns}", table.columns()));
    }

    @Override
    public String name() {
        return table;
    }

    @Override
    public ExpiredBatch deleteExpired(JdbcClient jdbcClient, OffsetDateTime from, int limit) {
        return ExpiredBatch.delete(jdbcClient, deleteExpired, from, limit);
    }
}
