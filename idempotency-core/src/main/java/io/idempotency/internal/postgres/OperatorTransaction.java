package io.idempotency.internal.postgres;

import java.util.function.Function;
import javax.sql.DataSource;

import org.springframework.jdbc.core.simple.JdbcClient;

import io.idempotency.internal.transaction.RequiresNewTransaction;

/**
 * A transaction of an operator's, who must not keep production waiting. It is made read-only on the server: a read-only
 * JDBC connection may be one to a replica, which does not know yet what has just been done.
 */
final class OperatorTransaction {

    private static final String BOUND = "set local statement_timeout = '5s'";

    private static final String READ_ONLY = "set transaction read only; " + BOUND;

    private final RequiresNewTransaction transaction;

    OperatorTransaction(DataSource dataSource) {
        this.transaction = RequiresNewTransaction.on(dataSource);
    }

    <T> T ask(Function<JdbcClient, T> question) {
        return bounded(READ_ONLY, question);
    }

    <T> T change(Function<JdbcClient, T> change) {
        return bounded(BOUND, change);
    }

    private <T> T bounded(String settings, Function<JdbcClient, T> work) {
        return transaction.call(Clients.withClient(jdbcClient -> {
            jdbcClient.sql(settings).update();
            return work.apply(jdbcClient);
        }));
    }
}
