package io.idempotency.internal.postgres.jdbc;

import java.sql.Connection;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

import io.idempotency.internal.transaction.RequiresNewTransaction;

/**
 * The factory of {@link JdbcClient}s on one connection, which the caller closes. {@link SqlFailures} translates their errors.
 */
public final class Clients {

    /** Overrides the defaults of pool and role, because the changes of another instance must be visible after a wait for it. */
    public static final String READ_COMMITTED = RequiresNewTransaction.READ_COMMITTED;

    private Clients() {}

    /** Returns a client for one connection. */
    public static JdbcClient on(Connection connection) {
        JdbcTemplate template = new JdbcTemplate(new SingleConnectionDataSource(connection, true));
        template.setExceptionTranslator(SqlFailures::translate);
        return JdbcClient.create(template);
    }

    /** Adapts work with a client to work on a connection. */
    public static <T extends @Nullable Object> Function<Connection, T> withClient(Function<JdbcClient, T> work) {
        return connection -> work.apply(on(connection));
    }
}
