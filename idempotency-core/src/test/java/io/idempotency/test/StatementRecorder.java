package io.idempotency.test;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Wrapper;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import javax.sql.DataSource;

/**
 * Records what goes through a DataSource: each execution, commit, rollback and savepoint call with its SQL. It sees
 * calls, not the wire: the driver may send none (a commit with no transaction open) or several at once;
 * {@link RoundTripCounter} counts those.
 */
public final class StatementRecorder {

    private static final Pattern COMMENT = Pattern.compile("/\\*.*?\\*/|--[^\\n]*", Pattern.DOTALL);
    private static final Pattern WRITE = Pattern.compile(
            "\\b(insert\\s+into|delete\\s+from|merge\\s+into|truncate\\s|update\\s+[^;]*?\\bset\\b)",
            Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    private final DataSource target;
    private final DataSource recording;
    private final List<Event> events = new CopyOnWriteArrayList<>();
    private final AtomicInteger connections = new AtomicInteger();

    private StatementRecorder(DataSource target) {
        this.target = target;
        this.recording = proxy(DataSource.class, new DataSourceHandler());
    }

    public static StatementRecorder of(DataSource target) {
        return new StatementRecorder(target);
    }

    /** The DataSource to give to the code under test; {@code unwrap} leads to the original one. */
    public DataSource dataSource() {
        return recording;
    }

    /** Everything recorded, in order. */
    public List<Event> events() {
        return List.copyOf(events);
    }

    /** The SQL of the executed statements, in order; a batch is one. */
    public List<String> statements() {
        return events.stream()
                .filter(event -> event.kind() == Kind.STATEMENT || event.kind() == Kind.BATCH)
                .map(Event::sql)
                .toList();
    }

    /** Those of them that insert, update, delete, merge or truncate (row locks are not seen). */
    public List<String> writes() {
        return statements().stream().filter(StatementRecorder::isWrite).toList();
    }

    public long count(Kind kind) {
        return events.stream().filter(event -> event.kind() == kind).count();
    }

    public void reset() {
        events.clear();
    }

    static boolean isWrite(String sql) {
        return WRITE.matcher(COMMENT.matcher(sql).replaceAll(" ")).find();
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(
                Proxy.newProxyInstance(StatementRecorder.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    /** What a call did; {@code connection} numbers the connections in the order they were handed out, from 1. */
    public record Event(int connection, Kind kind, String sql) {}

    public enum Kind {
        STATEMENT,
        BATCH,
        COMMIT,
        ROLLBACK,
        SAVEPOINT
    }

    /** Passes calls on, with the identity of the proxy and without wrapping the exceptions. */
    private abstract static class Handler implements InvocationHandler {

        private final Wrapper target;

        Handler(Wrapper target) {
            this.target = target;
        }

        @Override
        public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
            return switch (method.getName()) {
                case "equals" -> proxy == arguments[0];
                case "hashCode" -> System.identityHashCode(proxy);
                case "toString" -> "recorded " + target;
                case "unwrap" -> unwrap((Class<?>) arguments[0]);
                case "isWrapperFor" -> isWrapperFor((Class<?>) arguments[0]);
                default -> handle(proxy, method, arguments);
            };
        }

        private Object unwrap(Class<?> type) throws SQLException {
            return type.isInstance(target) ? target : target.unwrap(type);
        }

        private boolean isWrapperFor(Class<?> type) throws SQLException {
            return type.isInstance(target) || target.isWrapperFor(type);
        }

        abstract Object handle(Object proxy, Method method, Object[] arguments) throws Throwable;

        Object pass(Method method, Object[] arguments) throws Throwable {
            try {
                return method.invoke(target, arguments);
            } catch (InvocationTargetException e) {
                throw e.getTargetException();
            }
        }
    }

    private final class DataSourceHandler extends Handler {

        DataSourceHandler() {
            super(target);
        }

        @Override
        Object handle(Object proxy, Method method, Object[] arguments) throws Throwable {
            Object result = pass(method, arguments);
            return result instanceof Connection connection
                    ? proxy(Connection.class, new ConnectionHandler(connection))
                    : result;
        }
    }

    private final class ConnectionHandler extends Handler {

        private final Connection target;
        private final int number = connections.incrementAndGet();

        ConnectionHandler(Connection target) {
            super(target);
            this.target = target;
        }

        @Override
        Object handle(Object proxy, Method method, Object[] arguments) throws Throwable {
            record(method, arguments);
            Object result = pass(method, arguments);
            if (result instanceof Statement statement) {
                String sql = method.getName().equals("createStatement") ? null : (String) arguments[0];
                // The declared type, so that a prepared statement stays one.
                Class<?> type = method.getReturnType();
                return proxy(type, new StatementHandler(statement, (Connection) proxy, number, sql));
            }
            return result;
        }

        private void record(Method method, Object[] arguments) throws SQLException {
            switch (method.getName()) {
                case "commit" -> add(Kind.COMMIT, "commit");
                case "rollback" -> add(Kind.ROLLBACK, arguments == null ? "rollback" : "rollback to savepoint");
                case "setSavepoint", "releaseSavepoint" -> add(Kind.SAVEPOINT, method.getName());
                case "setAutoCommit" -> {
                    if ((Boolean) arguments[0] && !target.getAutoCommit()) {
                        // JDBC: commits the open transaction, if there is one.
                        add(Kind.COMMIT, "setAutoCommit(true)");
                    }
                }
                default -> {}
            }
        }

        private void add(Kind kind, String sql) {
            events.add(new Event(number, kind, sql));
        }
    }

    private final class StatementHandler extends Handler {

        private final Connection connection;
        private final int number;
        private final String preparedSql;
        private final List<String> batch = new ArrayList<>();

        StatementHandler(Statement target, Connection connection, int number, String preparedSql) {
            super(target);
            this.connection = connection;
            this.number = number;
            this.preparedSql = preparedSql;
        }

        @Override
        Object handle(Object proxy, Method method, Object[] arguments) throws Throwable {
            boolean hasSql = arguments != null && arguments.length > 0 && arguments[0] instanceof String;
            String sql = hasSql ? (String) arguments[0] : preparedSql;
            switch (method.getName()) {
                case "getConnection" -> {
                    return connection;
                }
                case "execute", "executeQuery", "executeUpdate", "executeLargeUpdate" ->
                    events.add(new Event(number, Kind.STATEMENT, sql));
                case "addBatch" -> batch.add(sql);
                case "clearBatch" -> batch.clear();
                case "executeBatch", "executeLargeBatch" -> {
                    events.add(new Event(number, Kind.BATCH, String.join(";\n", batch)));
                    batch.clear();
                }
                default -> {}
            }
            return pass(method, arguments);
        }
    }
}
