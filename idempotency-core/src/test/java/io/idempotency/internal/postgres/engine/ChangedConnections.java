package io.idempotency.internal.postgres.engine;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import javax.sql.DataSource;

import org.postgresql.PGConnection;
import org.postgresql.core.TransactionState;
import org.postgresql.jdbc.PgConnection;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Connections on which some methods do something else, as behind a pooler or on another engine. */
final class ChangedConnections extends DelegatingDataSource {

    private final Map<String, Change> changes;

    ChangedConnections(DataSource dataSource, Map<String, Change> changes) {
        super(dataSource);
        this.changes = changes;
    }

    /** PgBouncer with pool_mode=statement, which ends the connection at the first BEGIN. */
    static ChangedConnections refusingTransactions(DataSource dataSource) {
        Change refuse = connection -> {
            if (!connection.getAutoCommit()) {
                connection.close();
                throw new SQLException("FATAL: transaction blocks not allowed in statement pooling mode", "08P01");
            }
            throw new IllegalStateException("A statement was executed outside of a transaction");
        };
        return new ChangedConnections(dataSource, Map.of("prepareStatement", refuse, "createStatement", refuse));
    }

    /** A pooler whose connection to the server has the prepared statement of another client already. */
    static DataSource withAnothersStatement(DataSource dataSource) {
        return new DelegatingDataSource(dataSource) {

            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = super.getConnection();
                PGConnection driver = connection.unwrap(PGConnection.class);
                driver.setPrepareThreshold(0);
                try (Statement statement = connection.createStatement()) {
                    statement.execute("prepare \"S_1\" as select 1");
                }
                driver.setPrepareThreshold(1);
                return connection;
            }
        };
    }

    /** A pooler that ends each transaction with its first statement, and tells nobody. */
    static ChangedConnections withoutTransactions(DataSource dataSource) {
        Change nothing = connection -> {};
        return new ChangedConnections(dataSource, Map.of("setAutoCommit", nothing, "rollback", nothing));
    }

    static ChangedConnections committingInstead(DataSource dataSource) {
        return new ChangedConnections(dataSource, Map.of("rollback", Connection::commit));
    }

    /** A pooler gives each client a connection, but a second one is answered only if the first has no transaction open. */
    static DataSource sharingOneOfTheServer(DataSource dataSource) {
        return new DelegatingDataSource(dataSource) {

            private PgConnection latest;

            @Override
            public Connection getConnection() throws SQLException {
                PgConnection first = latest;
                Connection target = super.getConnection();
                latest = target.unwrap(PgConnection.class);
                return (Connection) Proxy.newProxyInstance(
                        getClass().getClassLoader(),
                        new Class<?>[] {Connection.class},
                        (proxy, method, arguments) -> method.getName().equals("isValid")
                                ? first.isClosed() || first.getTransactionState() == TransactionState.IDLE
                                : method.invoke(target, arguments));
            }
        };
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection target = super.getConnection();
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    Change change = changes.get(method.getName());
                    if (change != null) {
                        change.apply(target);
                        return null;
                    }
                    try {
                        return method.invoke(target, arguments);
                    } catch (InvocationTargetException failed) {
                        throw failed.getTargetException();
                    }
                });
    }

    @FunctionalInterface
    interface Change {

        void apply(Connection connection) throws SQLException;
    }
}
