package io.idempotency.internal.postgres.jdbc;

import java.sql.Connection;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/**
 * Lets a {@link JdbcClient} work on one connection, which stays the caller's to close. Its failures are those of
 * {@link SqlFailures}.
 */
public final class Clients {

    /** Overrides the default of pool and role: after a wait for another instance its changes must be visible. */
    public static final String READ_COMMITTED = "set transaction isolation level read committed";

    private Clients() {}

    /**
     * Returns a client for one connection.
     *
     * @param connection stays open
     * @return a client that works on this connection only
     */
    public static JdbcClient on(Connection connection) {
        JdbcTemplate template = new JdbcTemplate(new SingleConnectionDataSource(connection, true));
        template.setExceptionTranslator(SqlFailures::translate);
        return JdbcClient.create(template);
    }

    /**
     * Adapts work with a client to work on a connection.
     *
     * @param work gets the client
     * @return the same work for a connection
     */
    public static <T extends @Nullable Object> Function<Connection, T> withClient(Function<JdbcClient, T> work) {
        return connection -> work.apply(on(connection));
    }
}
