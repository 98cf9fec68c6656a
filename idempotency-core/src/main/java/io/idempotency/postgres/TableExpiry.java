package io.idempotency.postgres;

import java.time.OffsetDateTime;

import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Forgets the rows of one table after their time, or moves them to its archive. */
final class TableExpiry {

    /** By ctid, because a join by key reads the primary key once more for each row. */
    private static final String DELETE = """
            delete from {schema}.{table}
            where ctid = any (array(
                select ctid
                from {schema}.{table}
                where expires_at >= ? and expires_at < statement_timestamp() and {condition}
                order by expires_at
                limit ?
                for update skip locked))
            returning\s""";

    private static final String COUNT = "select count(*), max(expires_at) from expired";

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
     * @param table a name of the library's own
     * @param condition what else must hold for rows that may go, as SQL
     * @param archive whether they are moved to the table's archive
     */
    TableExpiry(Schema schema, String table, String condition, boolean archive) {
        this.table = table;
        this.deleteExpired = schema.resolve(archive ? ARCHIVE_EXPIRED : DELETE_EXPIRED)
                .replace("{table}", table)
                .replace("{condition}", condition)
                .replace("{columns}", StorageSchema.columnsOf(table));
    }

    String name() {
        return table;
    }

    /** Deletes so many rows at most, the oldest first, from that time on. */
    Batch deleteExpired(JdbcClient jdbcClient, OffsetDateTime from, int limit) {
        return jdbcClient
                .sql(deleteExpired)
                .params(from, limit)
                .query((row, number) -> new Batch(row.getInt(1), row.getObject(2, OffsetDateTime.class)))
                .single();
    }

    /**
     * What was deleted.
     *
     * @param rows how many
     * @param last when the youngest of them expired; nothing if there were none
     */
    record Batch(int rows, @Nullable OffsetDateTime last) {}
}
