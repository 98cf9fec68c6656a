package io.idempotency.benchmarks.micro;

import java.lang.reflect.Proxy;
import java.sql.Connection;

import org.springframework.jdbc.datasource.AbstractDataSource;

/** Connections that accept transactions and nothing else. */
final class NoOpDataSource extends AbstractDataSource {

    @Override
    public Connection getConnection() {
        boolean[] autoCommit = {true};
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "getAutoCommit" -> autoCommit[0];
                    case "setAutoCommit" -> {
                        autoCommit[0] = (Boolean) arguments[0];
                        yield null;
                    }
                    case "isReadOnly", "isClosed" -> false;
                    case "getTransactionIsolation" -> Connection.TRANSACTION_READ_COMMITTED;
                    case "commit", "rollback", "close", "clearWarnings" -> null;
                    case "equals" -> proxy == arguments[0];
                    case "hashCode" -> System.identityHashCode(proxy);
                    case "toString" -> "a connection to nothing";
                    default -> throw new UnsupportedOperationException(method.toString());
                });
    }

    @Override
    public Connection getConnection(String username, String password) {
        return getConnection();
    }
}
