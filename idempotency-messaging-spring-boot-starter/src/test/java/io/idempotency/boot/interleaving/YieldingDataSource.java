package io.idempotency.boot.interleaving;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.jdbc.datasource.DelegatingDataSource;

import io.idempotency.boot.interleaving.YieldPoint.Kind;

/** The pool of an application, whose connections stop an {@link Actor} before whatever reaches the server. */
final class YieldingDataSource extends DelegatingDataSource {

    private static final Set<String> EXECUTIONS = Set.of(
            "execute", "executeUpdate", "executeQuery", "executeBatch", "executeLargeUpdate", "executeLargeBatch");

    /** Longer bounds than those of calls end sooner here, so that a run does not take as long as they do. */
    private static final long LONG_BOUND_MILLIS = 15_000;

    private static final long SHORT_BOUND_MILLIS = 300;

    /** The bound of the library's own statements, which is in their text. */
    private static final String OWN_BOUND = "set_config('statement_timeout', '2000', true)";

    private static final String SHORT_OWN_BOUND = OWN_BOUND.replace("2000", String.valueOf(SHORT_BOUND_MILLIS));

    private final Set<BaseConnection> used = ConcurrentHashMap.newKeySet();

    private YieldingDataSource(DataSource pool) {
        super(pool);
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection connection = super.getConnection();
        if (Actor.current() == null) {
            return connection;
        }
        used.add(connection.unwrap(BaseConnection.class));
        return proxy(Connection.class, new ConnectionHandler(connection));
    }

    /** Returns the connections below the pool that actors have used since the last call. */
    Set<BaseConnection> takeUsed() {
        Set<BaseConnection> taken = Set.copyOf(used);
        used.removeAll(taken);
        return taken;
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private abstract static class Handler implements InvocationHandler {

        private final Object target;

        Handler(Object target) {
            this.target = target;
        }

        @Override
        public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
            if (method.getName().equals("equals")) {
                return proxy == arguments[0];
            }
            Actor actor = Actor.current();
            YieldPoint point = actor == null ? null : pointOf(method.getName(), arguments);
            return point == null ? proceed(method, arguments) : actor.reach(point, () -> proceed(method, arguments));
        }

        Object proceed(Method method, Object[] arguments) throws Throwable {
            try {
                return method.invoke(target, arguments);
            } catch (InvocationTargetException thrown) {
                throw thrown.getCause();
            }
        }

        /** Returns {@code null} if the call does not reach the server. */
        abstract YieldPoint pointOf(String method, Object[] arguments) throws SQLException;
    }

    private static final class ConnectionHandler extends Handler {

        private final Connection connection;

        ConnectionHandler(Connection connection) {
            super(connection);
            this.connection = connection;
        }

        @Override
        Object proceed(Method method, Object[] arguments) throws Throwable {
            if (method.getName().equals("abort") && Actor.current() != null) {
                return abort(method, arguments);
            }
            boolean hasText = arguments != null && arguments.length > 0 && arguments[0] instanceof String;
            String sql = hasText ? ((String) arguments[0]).replace(OWN_BOUND, SHORT_OWN_BOUND) : null;
            if (hasText) {
                arguments[0] = sql;
            }
            Object result = super.proceed(method, arguments);
            if (!(result instanceof Statement statement)) {
                return result;
            }
            StatementHandler handler = new StatementHandler(statement, sql, connection);
            if (result instanceof CallableStatement) {
                return proxy(CallableStatement.class, handler);
            }
            return result instanceof PreparedStatement
                    ? proxy(PreparedStatement.class, handler)
                    : proxy(Statement.class, handler);
        }

        /** The server notices at once, so that all runs of a schedule are the same. */
        private Object abort(Method method, Object[] arguments) throws Throwable {
            int pid = connection.unwrap(BaseConnection.class).getBackendPID();
            try {
                return super.proceed(method, arguments);
            } finally {
                Actor.current().awaitGone(pid);
            }
        }

        @Override
        YieldPoint pointOf(String method, Object[] arguments) throws SQLException {
            if (connection.isClosed()) {
                return null;
            }
            return switch (method) {
                case "commit" -> isInTransaction() ? new YieldPoint(Kind.COMMIT, "COMMIT", connection) : null;
                case "rollback" -> isInTransaction() ? new YieldPoint(Kind.ROLLBACK, "ROLLBACK", connection) : null;
                case "close" ->
                    isInTransaction() ? new YieldPoint(Kind.ROLLBACK, "ROLLBACK of the pool", connection) : null;
                case "setAutoCommit" ->
                    isInTransaction() && !isAborted() && Boolean.TRUE.equals(arguments[0]) ? cleanUp() : null;
                case "setSavepoint", "releaseSavepoint" -> new YieldPoint(Kind.SESSION, method, connection);
                case "setTransactionIsolation", "getTransactionIsolation" ->
                    new YieldPoint(Kind.SESSION, "isolation level", connection);
                default -> null;
            };
        }

        /** The driver sends COMMIT. If a statement has failed, that rolls back, and the driver throws. */
        private YieldPoint cleanUp() throws SQLException {
            return connection.unwrap(BaseConnection.class).getTransactionState() == TransactionState.FAILED
                    ? new YieldPoint(Kind.ROLLBACK, "ROLLBACK of setAutoCommit", connection)
                    : new YieldPoint(Kind.COMMIT, YieldPoint.COMMIT_OF_CLEAN_UP, connection);
        }

        /** A pool does not notice, and the driver sends nothing. */
        private boolean isAborted() throws SQLException {
            return connection.unwrap(BaseConnection.class).isClosed();
        }

        private boolean isInTransaction() throws SQLException {
            return connection.unwrap(BaseConnection.class).getTransactionState() != TransactionState.IDLE;
        }
    }

    private static final class StatementHandler extends Handler {

        private final String prepared;

        private final Connection connection;

        StatementHandler(Statement statement, String prepared, Connection connection) {
            super(statement);
            this.prepared = prepared;
            this.connection = connection;
        }

        @Override
        Object proceed(Method method, Object[] arguments) throws Throwable {
            if (method.getName().equals("setLong") && isLongBound(arguments)) {
                return super.proceed(method, new Object[] {arguments[0], SHORT_BOUND_MILLIS});
            }
            return super.proceed(method, arguments);
        }

        private boolean isLongBound(Object[] arguments) {
            return prepared.contains("set_config('statement_timeout'")
                    && arguments[0].equals(1)
                    && (long) arguments[1] > LONG_BOUND_MILLIS;
        }

        @Override
        YieldPoint pointOf(String method, Object[] arguments) throws SQLException {
            if (!EXECUTIONS.contains(method)) {
                return null;
            }
            boolean hasText = arguments != null && arguments.length > 0 && arguments[0] instanceof String;
            String sql = hasText ? (String) arguments[0] : prepared;
            return YieldPoint.statement(sql == null ? "batch" : sql, connection);
        }
    }

    /** Wraps the pool of an application. */
    static final class Wrapping implements BeanPostProcessor {

        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            if (!(bean instanceof HikariDataSource pool)) {
                return bean;
            }
            NewConnections.of(pool);
            return new YieldingDataSource(pool);
        }
    }
}
