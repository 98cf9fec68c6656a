package io.idempotency.internal.postgres.engine;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

import org.springframework.jdbc.support.JdbcUtils;

/** A connection whose transactions are all rolled back. Its settings are restored when it is closed. */
final class RolledBackConnection implements AutoCloseable {

    /** Keeps the start from hanging on an engine that ignores statement_timeout. A busy server must have answered by then. */
    private static final Duration LONGEST_ANSWER = Duration.ofSeconds(5);

    private final Connection connection;

    private final boolean autoCommit;

    private final int networkTimeout;

    RolledBackConnection(Connection connection) throws SQLException {
        this.connection = connection;
        try {
            this.autoCommit = connection.getAutoCommit();
            this.networkTimeout = connection.getNetworkTimeout();
            connection.setAutoCommit(false);
            connection.setNetworkTimeout(Runnable::run, Math.toIntExact(LONGEST_ANSWER.toMillis()));
        } catch (SQLException | RuntimeException failure) {
            JdbcUtils.closeConnection(connection);
            throw failure;
        }
    }

    Connection connection() {
        return connection;
    }

    void rollBack() throws SQLException {
        connection.rollback();
    }

    @Override
    public void close() throws SQLException {
        try (connection) {
            if (!connection.isClosed()) {
                connection.rollback();
                connection.setAutoCommit(autoCommit);
                connection.setNetworkTimeout(Runnable::run, networkTimeout);
            }
        }
    }
}
