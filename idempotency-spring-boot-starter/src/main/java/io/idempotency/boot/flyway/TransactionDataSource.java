package io.idempotency.boot.flyway;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;

import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.AbstractDataSource;

/**
 * A DataSource that always gives Flyway the connection of an open transaction, which Flyway cannot end. A pool of one
 * connection suffices, and the lock of the transaction covers everything that Flyway does.
 */
final class TransactionDataSource extends AbstractDataSource {

    private final Connection connection;

    TransactionDataSource(Connection connection) {
        this.connection = (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, new OpenTransaction(connection));
    }

    @Override
    public Connection getConnection() {
        return connection;
    }

    @Override
    public Connection getConnection(String username, String password) {
        return connection;
    }

    /** A connection that ignores a commit, but not a rollback: after that the transaction fails. */
    private record OpenTransaction(Connection connection) implements InvocationHandler {

        @Override
        public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] arguments)
                throws Throwable {
            return switch (method.getName()) {
                case "commit", "close", "setAutoCommit", "setReadOnly" -> null;
                default -> invoke(method, arguments);
            };
        }

        private @Nullable Object invoke(Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
            try {
                return method.invoke(connection, arguments);
            } catch (InvocationTargetException failure) {
                throw failure.getCause() == null ? failure : failure.getCause();
            }
        }
    }
}
