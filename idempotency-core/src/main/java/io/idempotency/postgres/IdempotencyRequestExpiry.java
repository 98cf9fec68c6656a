package io.idempotency.postgres;

import javax.sql.DataSource;

import io.idempotency.retention.ExpiringTable;

/** Forgets requests after their time, but never one that is being processed: its effect may or may not have happened. */
final class IdempotencyRequestExpiry implements ExpiringTable {

    /** By ctid, because a join by key reads the primary key once more for each row. */
    private static final String DELETE_EXPIRED = """
            delete from {schema}.idempotency_request
            where ctid = any (array(
                select ctid
                from {schema}.idempotency_request
                where expires_at < statement_timestamp() and status <> 'processing'
                limit ?
                for update skip locked))""";

    private final String deleteExpired;

    private final OwnTransaction transaction;

    IdempotencyRequestExpiry(Schema schema, DataSource dataSource) {
        this.deleteExpired = schema.resolve(DELETE_EXPIRED);
        this.transaction = new OwnTransaction(dataSource);
    }

    @Override
    public String name() {
        return "idempotency_request";
    }

    @Override
    public int deleteExpired(int limit) {
        return transaction.call(
                jdbcClient -> jdbcClient.sql(deleteExpired).param(limit).update());
    }
}
