package io.idempotency.postgres;

import java.sql.Connection;
import java.util.function.Function;
import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * A short transaction apart from the application's: what is no part of a call must neither join its transaction nor
 * depend on how the pool is set to commit.
 */
final class OwnTransaction {

    private final DataSource dataSource;

    private final JdbcClient jdbcClient;

    private final TransactionTemplate template;

    OwnTransaction(DataSource dataSource) {
        this.dataSource = dataSource;
        this.jdbcClient = JdbcClient.create(dataSource);
        this.template = new TransactionTemplate(
                new JdbcTransactionManager(dataSource),
                new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW));
    }

    <T extends @Nullable Object> T call(Function<JdbcClient, T> work) {
        return template.execute(status -> work.apply(jdbcClient));
    }

    <T extends @Nullable Object> T onConnection(Function<Connection, T> work) {
        return template.execute(status -> {
            Connection connection = DataSourceUtils.getConnection(dataSource);
            try {
                return work.apply(connection);
            } finally {
                DataSourceUtils.releaseConnection(connection, dataSource);
            }
        });
    }
}
