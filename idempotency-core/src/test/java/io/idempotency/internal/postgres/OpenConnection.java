package io.idempotency.internal.postgres;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * One connection with one transaction after the other.
 *
 * @param <S> the class itself
 */
abstract class OpenConnection<S extends OpenConnection<S>> implements AutoCloseable {

    private final Connection connection;

    OpenConnection(Connection connection) throws SQLException {
        this.connection = connection;
        connection.setAutoCommit(false);
    }

    public final Connection connection() {
        return connection;
    }

    @SuppressWarnings("unchecked")
    public final S execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
        return (S) this;
    }

    public final String query(String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }

    public final void commit() throws SQLException {
        connection.commit();
    }

    public final void rollback() throws SQLException {
        connection.rollback();
    }

    /** Rolls back what is open: the pool does, and so does the server when the connection ends. */
    @Override
    public final void close() throws SQLException {
        connection.close();
    }
}
