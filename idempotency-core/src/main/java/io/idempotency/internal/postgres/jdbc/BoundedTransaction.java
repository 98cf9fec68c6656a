package io.idempotency.internal.postgres.jdbc;

import java.util.function.Function;
import javax.sql.DataSource;

import org.springframework.jdbc.core.simple.JdbcClient;

import io.idempotency.internal.transaction.RequiresNewTransaction;

/**
 * A new transaction in which no statement takes longer than five seconds, so that operators and samples do not block the
 * application. Queries are read-only on the server and not on the JDBC connection: a read-only connection may lead to a replica
 * that lacks the latest changes.
 */
public final class BoundedTransaction {

    private static final String BOUND = "select set_config('statement_timeout', '5s', true), " + DurableCommit.SET;

    private static final String READ_ONLY = "set transaction read only; set local statement_timeout = '5s'";

    private final RequiresNewTransaction transaction;

    /** Prepares transactions on a DataSource. */
    public BoundedTransaction(DataSource dataSource) {
        this.transaction = RequiresNewTransaction.on(dataSource);
    }

    /** Queries in a read-only transaction. */
    public <T> T query(Function<JdbcClient, T> query) {
        return transaction.call(Clients.withClient(jdbcClient -> {
            jdbcClient.sql(READ_ONLY).update();
            return query.apply(jdbcClient);
        }));
    }

    /** Changes rows in a transaction. */
    public <T> T change(Function<JdbcClient, T> change) {
        return transaction.call(Clients.withClient(jdbcClient -> {
            jdbcClient.sql(BOUND).query().singleRow();
            return change.apply(jdbcClient);
        }));
    }
}
