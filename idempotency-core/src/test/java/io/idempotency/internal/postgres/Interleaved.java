package io.idempotency.internal.postgres;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.concurrent.atomic.AtomicBoolean;

import io.idempotency.test.ConcurrentCalls.Action;

/** A connection on which others act before a claim, or between a claim that finds the key taken and the query of that row. */
public final class Interleaved {

    private static final String CLAIM = "select set_config";

    private static final String QUERY = "select idempotency_scope";

    private Interleaved() {}

    public static Connection beforeTheQuery(Connection connection, Action action) {
        return before(connection, () -> {}, action);
    }

    public static Connection before(Connection connection, Action beforeClaim, Action beforeQuery) {
        return beforeEach(connection, sql -> {
            if (sql.startsWith(CLAIM)) {
                beforeClaim.run();
            } else if (sql.startsWith(QUERY)) {
                beforeQuery.run();
            }
        });
    }

    /** Before the first statement that begins so. */
    public static Connection beforeFirst(String statement, Connection connection, Action action) {
        AtomicBoolean isFirst = new AtomicBoolean(true);
        return beforeEach(connection, sql -> {
            if (sql.startsWith(statement) && isFirst.compareAndSet(true, false)) {
                action.run();
            }
        });
    }

    /** Before each statement is prepared. */
    public static Connection beforeEach(Connection connection, Before before) {
        return (Connection) Proxy.newProxyInstance(
                Interleaved.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("prepareStatement")) {
                        before.statement((String) arguments[0]);
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getTargetException();
                    }
                });
    }

    @FunctionalInterface
    public interface Before {

        void statement(String sql) throws Exception;
    }
}
