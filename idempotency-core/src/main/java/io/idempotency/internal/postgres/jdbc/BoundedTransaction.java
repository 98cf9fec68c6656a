package io.idempotency.internal.postgres.jdbc;

import java.util.function.Function;
import javax.sql.DataSource;

import org.springframework.jdbc.core.simple.JdbcClient;

import io.idempotency.internal.transaction.RequiresNewTransaction;

/**
 * A transaction of the library's own in which no statement takes longer than five seconds, so that operators and samples do
 * not keep production waiting. Queries are made read-only on the server and not by the JDBC connection: a read-only connection
 * may lead to a replica, which may not have the latest changes yet.
 */
public final class BoundedTransaction {

    private static final String BOUND = "set local statement_timeout = '5s'";

    private static final String READ_ONLY = "set transaction read only; " + BOUND;

    private final RequiresNewTransaction transaction;

    /**
     * Prepares transactions.
     *
     * @param dataSource each transaction takes a connection of its own from it
     */
    public BoundedTransaction(DataSource dataSource) {
        this.transaction = RequiresNewTransaction.on(dataSource);
    }

    /**
     * Queries in a read-only transaction.
     *
     * @param query gets the client
     * @return the query's result
     */
    public <T> T query(Function<JdbcClient, T> query) {
        return bounded(READ_ONLY, query);
    }

    /**
     * Changes rows in a transaction.
     *
     * @param change gets the client
     * @return the change's result
     */
    public <T> T change(Function<JdbcClient, T> change) {
        return bounded(BOUND, change);
    }

    private <T> T bounded(String settings, Function<JdbcClient, T> work) {
        return transaction.call(Clients.withClient(jdbcClient -> {
            jdbcClient.sql(settings).update();
            return work.apply(jdbcClient);
        }));
    }
}
