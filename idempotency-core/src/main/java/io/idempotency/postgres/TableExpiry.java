package io.idempotency.postgres;

import javax.sql.DataSource;

import io.idempotency.retention.ExpiringTable;

/** Forgets the rows of one table after their time. */
final class TableExpiry implements ExpiringTable {

    /** By ctid, because a join by key reads the primary key once more for each row. */
    private static final String DELETE_EXPIRED = """
            delete from {schema}.{table}
            where ctid = any (array(
                select ctid
                from {schema}.{table}
                where expires_at < statement_timestamp() and {condition}
                limit ?
                for update skip locked))""";

    private final String table;

    private final String deleteExpired;

    private final OwnTransaction transaction;

    /**
     * Prepares the deletion.
     *
     * @param table a name of the library's own
     * @param condition what else must hold for rows that may go, as SQL
     */
    TableExpiry(Schema schema, DataSource dataSource, String table, String condition) {
        this.table = table;
        this.deleteExpired =
                schema.resolve(DELETE_EXPIRED).replace("{table}", table).replace("{condition}", condition);
        this.transaction = new OwnTransaction(dataSource);
    }

    @Override
    public String name() {
        return table;
    }

    @Override
    public int deleteExpired(int limit) {
        return transaction.call(
                jdbcClient -> jdbcClient.sql(deleteExpired).param(limit).update());
    }
}
