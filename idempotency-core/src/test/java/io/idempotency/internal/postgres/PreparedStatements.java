package io.idempotency.internal.postgres;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.jdbc.datasource.AbstractDataSource;

import io.idempotency.test.TestDatabase;

/**
 * Connections that prepare each statement on the server, which tells at their end what it was asked to prepare and of which
 * types the parameters were.
 */
final class PreparedStatements extends AbstractDataSource {

    private static final String PREPARED = """
            select statement, parameter_types::text[]
            from pg_catalog.pg_prepared_statements
            where not from_sql""";

    private final PGSimpleDataSource target = new PGSimpleDataSource();

    private final Map<String, List<String>> parametersOfStatements = new LinkedHashMap<>();

    PreparedStatements(TestDatabase database) {
        target.setUrl(database.jdbcUrl());
        target.setUser(database.username());
        target.setPassword(database.password());
        target.setPrepareThreshold(1);
    }

    /** Each with the types of its parameters. */
    Map<String, List<String>> all() {
        return parametersOfStatements;
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection connection = target.getConnection();
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("close") && !connection.isClosed()) {
                        take(connection);
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException failure) {
                        throw failure.getTargetException();
                    }
                });
    }

    @Override
    public Connection getConnection(String username, String password) {
        throw new UnsupportedOperationException();
    }

    private void take(Connection connection) throws SQLException {
        if (!connection.getAutoCommit()) {
            connection.rollback();
        }
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(PREPARED)) {
            while (rows.next()) {
                parametersOfStatements.put(
                        rows.getString(1), List.of((String[]) rows.getArray(2).getArray()));
            }
        }
    }
}
