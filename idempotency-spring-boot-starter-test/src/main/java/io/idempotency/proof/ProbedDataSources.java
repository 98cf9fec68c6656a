package io.idempotency.proof;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import javax.sql.DataSource;

import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.postgresql.copy.CopyManager;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.QueryExecutor;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;

/** The post-processor that lets the {@link StatementRecorder} see the statements of all DataSources. */
final class ProbedDataSources implements BeanPostProcessor {

    /** Of the first instance, if this is the second: both have the same pools, or a pool of few connections would not do. */
    private final Map<String, DataSource> shared;

    ProbedDataSources(Map<String, DataSource> shared) {
        this.shared = shared;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (!(bean instanceof DataSource dataSource)) {
            return bean;
        }
        DataSource ofFirstInstance = shared.get(beanName);
        return ofFirstInstance == null ? probed(dataSource) : ofFirstInstance;
    }

    /** Keeps the type, because beans may ask for the type of the pool. */
    private static Object probed(DataSource dataSource) {
        ProxyFactory factory = new ProxyFactory(dataSource);
        factory.setProxyTargetClass(!Modifier.isFinal(dataSource.getClass().getModifiers()));
        factory.addAdvice((MethodInterceptor) invocation -> {
            if (!invocation.getMethod().getName().equals("getConnection")) {
                return invocation.proceed();
            }
            Object connection = invocation.proceed();
            return connection instanceof Connection opened ? probed(opened) : connection;
        });
        return factory.getProxy(ProbedDataSources.class.getClassLoader());
    }

    private static Connection probed(Connection connection) throws SQLException {
        boolean isProbed = Proxy.isProxyClass(connection.getClass())
                && Proxy.getInvocationHandler(connection) instanceof ConnectionHandler;
        if (isProbed || !connection.isWrapperFor(BaseConnection.class)) {
            return connection;
        }
        return proxy(Connection.class, new ConnectionHandler(connection));
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(
                Proxy.newProxyInstance(ProbedDataSources.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private static @Nullable Object invoke(Object target, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }

    private static @Nullable Object invokeOnObject(
            Object proxy, Object target, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
        return method.getName().equals("equals") && arguments != null
                ? Boolean.valueOf(proxy == arguments[0])
                : invoke(target, method, arguments);
    }

    private record ConnectionHandler(Connection connection) implements InvocationHandler {

        @Override
        public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] arguments)
                throws Throwable {
            if (method.getDeclaringClass() == Object.class) {
                return invokeOnObject(proxy, connection, method, arguments);
            }
            if (method.getName().equals("commit")) {
                return StatementRecorder.around(
                        connection, "commit", () -> ProbedDataSources.invoke(connection, method, arguments));
            }
            if (method.getName().equals("getCopyAPI")) {
                return new CopyManager((BaseConnection) proxy);
            }
            Object result = ProbedDataSources.invoke(connection, method, arguments);
            if (result instanceof QueryExecutor executor) {
                return proxy(QueryExecutor.class, copyHandler(executor));
            }
            if (result instanceof BaseConnection driver && isUnwrappedByApplication(arguments)) {
                return proxy(BaseConnection.class, new ConnectionHandler(driver));
            }
            if (!(result instanceof Statement statement)) {
                return result;
            }
            String sql = arguments == null || !(arguments[0] instanceof String text) ? "" : text;
            Class<? extends Statement> type = statement instanceof CallableStatement
                    ? CallableStatement.class
                    : statement instanceof PreparedStatement ? PreparedStatement.class : Statement.class;
            return proxy(type, new StatementHandler((Connection) proxy, connection, statement, sql));
        }

        /** A COPY is no statement of JDBC. */
        private InvocationHandler copyHandler(QueryExecutor executor) {
            return (proxy, method, arguments) -> method.getName().equals("startCopy")
                    ? StatementRecorder.around(
                            connection,
                            String.valueOf(arguments[0]),
                            () -> ProbedDataSources.invoke(executor, method, arguments))
                    : ProbedDataSources.invoke(executor, method, arguments);
        }

        private static boolean isUnwrappedByApplication(@Nullable Object @Nullable [] arguments) {
            return arguments != null
                    && arguments[0] instanceof Class<?> type
                    && type.isInterface()
                    && !Place.isOfLibrary(Thread.currentThread().getStackTrace());
        }
    }

    private static final class StatementHandler implements InvocationHandler {

        private final Connection proxiedConnection;

        private final Connection connection;

        private final Statement statement;

        private final String prepared;

        private String batched = "";

        StatementHandler(Connection proxiedConnection, Connection connection, Statement statement, String prepared) {
            this.proxiedConnection = proxiedConnection;
            this.connection = connection;
            this.statement = statement;
            this.prepared = prepared;
        }

        @Override
        public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] arguments)
                throws Throwable {
            if (method.getDeclaringClass() == Object.class) {
                return invokeOnObject(proxy, statement, method, arguments);
            }
            String name = method.getName();
            String argument = arguments != null && arguments[0] instanceof String text ? text : null;
            if (name.equals("getConnection")) {
                return proxiedConnection;
            }
            if (name.equals("addBatch") && argument != null && batched.isEmpty()) {
                batched = argument;
            }
            if (!name.startsWith("execute")) {
                return ProbedDataSources.invoke(statement, method, arguments);
            }
            String sql = argument != null ? argument : prepared.isEmpty() ? batched : prepared;
            return StatementRecorder.around(
                    connection, sql, () -> ProbedDataSources.invoke(statement, method, arguments));
        }
    }
}
