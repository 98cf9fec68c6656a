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

    private static final String BOUND = TransactionLimits.select("'5s'", "'30s'") + ", " + DurableCommit.SET;

    private static final String READ_ONLY = "set transaction read only; " + BOUND;

    private final RequiresNewTransaction transaction;

    /** Prepares transactions on a DataSource. */
    public BoundedTransaction(DataSource dataSource) {
        this.transaction = RequiresNewTransaction.on(dataSource);
    }

    /** Queries in a read-only transaction. */
    public <T> T query(Function<JdbcClient, T> query) {
        return bounded(READ_ONLY, query);
    }

    /** Changes rows in a transaction. */
    public <T> T change(Function<JdbcClient, T> change) {
        return bounded(BOUND, change);
    }

    private <T> T bounded(String settings, Function<JdbcClient, T> work) {
        return transaction.call(connection -> work.apply(TransactionLimits.clientWith(connection, settings)));
    }
}
