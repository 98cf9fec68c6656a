package io.idempotency.boot.datasource;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import javax.sql.DataSource;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.jdbc.core.JdbcOperations;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.Idempotent;
import io.idempotency.InvalidIdempotentMethodException;
import io.idempotency.ReentrantCallException;
import io.idempotency.boot.IdempotencyAutoConfiguration;
import io.idempotency.boot.flyway.IdempotencyMigrationAutoConfiguration;
import io.idempotency.boot.messaging.IdempotencyMessagingAutoConfiguration;
import io.idempotency.boot.messaging.storage.IdempotencyMessagingStorageAutoConfiguration;
import io.idempotency.boot.testing.Note;
import io.idempotency.boot.testing.Notebook;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The application's DataSource and that of its transaction manager are one pool, with something round one or both. */
@PostgresTest
class WrappedDataSourceTest {

    private final TestDatabase database;

    WrappedDataSourceTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeAll
    static void createTable(TestDatabase database) {
        Notebook.createTable(database.jdbc());
    }

    @AfterEach
    void forgetEverything() {
        database.jdbc().execute("truncate note, idempotency.idempotency_request");
    }

    static Stream<Arguments> wrappings() {
        Named<UnaryOperator<DataSource>> nothing = Named.of("the pool", UnaryOperator.identity());
        return Stream.of(
                        Named.<UnaryOperator<DataSource>>of("DelegatingDataSource", DelegatingDataSource::new),
                        Named.<UnaryOperator<DataSource>>of(
                                "two DelegatingDataSources",
                                pool -> new DelegatingDataSource(new DelegatingDataSource(pool))),
                        Named.<UnaryOperator<DataSource>>of(
                                "TransactionAwareDataSourceProxy", TransactionAwareDataSourceProxy::new),
                        Named.<UnaryOperator<DataSource>>of(
                                "LazyConnectionDataSourceProxy", LazyConnectionDataSourceProxy::new),
                        Named.<UnaryOperator<DataSource>>of(
                                "interface proxy of Spring AOP", pool -> springProxy(pool, false)),
                        Named.<UnaryOperator<DataSource>>of(
                                "class proxy of Spring AOP", pool -> springProxy(pool, true)),
                        Named.<UnaryOperator<DataSource>>of("proxy of a library", WrappedDataSourceTest::foreignProxy),
                        Named.<UnaryOperator<DataSource>>of(
                                "proxy round a proxy of a library", pool -> foreignProxy(foreignProxy(pool))))
                .flatMap(wrapper -> Stream.of(Arguments.of(wrapper, nothing), Arguments.of(nothing, wrapper)));
    }

    @ParameterizedTest(name = "library: {0}, transactions: {1}")
    @MethodSource("wrappings")
    @Tag("full")
    void claimAndEffectAreOneTransaction(
            UnaryOperator<DataSource> ofLibrary, UnaryOperator<DataSource> ofTransactions) {
        DataSource pool = database.dataSource(2);

        application(ofLibrary.apply(pool), ofTransactions.apply(pool)).run(context -> {
            Notebook notebook = context.getBean(Notebook.class);
            Note note = notebook.write("key", "text");

            assertThat(notebook.write("key", "text")).isEqualTo(note);
            assertThat(transactionThatWroteTheRequest()).isEqualTo(note.xid());
        });
    }

    @Test
    void claimAndEffectAreOneTransactionWhereBothAreWrapped() {
        DataSource pool = database.dataSource(2);

        application(springProxy(new DelegatingDataSource(pool), false), new LazyConnectionDataSourceProxy(pool))
                .run(context -> {
                    Note note = context.getBean(Notebook.class).write("key", "text");

                    assertThat(transactionThatWroteTheRequest()).isEqualTo(note.xid());
                });
    }

    /** What cannot be seen to be the same is not trusted to be. */
    @Test
    void twoForeignProxiesOfOnePoolAreRefused() {
        DataSource pool = database.dataSource(2);

        application(foreignProxy(pool), foreignProxy(pool))
                .run(context -> assertThat(context)
                        .getFailure()
                        .isInstanceOf(InvalidIdempotentMethodException.class)
                        .hasMessageContaining("is not for the DataSource of the idempotency tables"));
    }

    /** A pool that is exhausted, or cannot reach the database, would be waited for once more. */
    @Test
    void aConnectionThatNothingWasDoneOnIsNotFetchedForARollback() {
        AtomicInteger fetched = new AtomicInteger();
        DataSource lazy = new LazyConnectionDataSourceProxy(new DelegatingDataSource(database.dataSource(2)) {
            @Override
            public Connection getConnection() throws SQLException {
                fetched.incrementAndGet();
                return super.getConnection();
            }
        });

        application(lazy, lazy).run(context -> {
            Notebook notebook = context.getBean(Notebook.class);
            TransactionTemplate outer = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
            TransactionTemplate anew = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
            anew.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
            outer.executeWithoutResult(status -> {
                notebook.write("key", "text");
                int before = fetched.get();
                assertThatExceptionOfType(ReentrantCallException.class)
                        .isThrownBy(() -> anew.executeWithoutResult(inner -> notebook.write("key", "text")));
                assertThat(fetched).hasValue(before);
            });
        });
    }

    /** As some pools' are, whose connections are closed when they are given back and not when they are lost. */
    @Test
    void theFailureOfAMethodIsNotHiddenByAConnectionThatSeemsToBeOpen() {
        DataSource pool =
                new DelegatingDataSource(
                        new DriverManagerDataSource(database.jdbcUrl(), database.username(), database.password())) {
                    @Override
                    public Connection getConnection() throws SQLException {
                        return neverClosed(super.getConnection());
                    }
                };

        application(pool, pool)
                .withBean(Killed.class)
                .run(context -> assertThatExceptionOfType(IllegalStateException.class)
                        .isThrownBy(() -> context.getBean(Killed.class).writeAndDie("key", database.jdbc()))
                        .withMessage("on purpose"));
    }

    private static Connection neverClosed(Connection connection) {
        return (Connection) Proxy.newProxyInstance(
                WrappedDataSourceTest.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("isClosed")) {
                        return false;
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException failure) {
                        throw failure.getCause();
                    }
                });
    }

    static class Killed {

        private final JdbcClient jdbc;

        Killed(JdbcClient jdbc) {
            this.jdbc = jdbc;
        }

        @Transactional
        @Idempotent(scope = "killed", key = "#key", fingerprint = "'same'")
        public String writeAndDie(String key, JdbcOperations killer) {
            int backend = jdbc.sql("insert into public.note (text) values ('text') returning backend")
                    .query(Integer.class)
                    .single();
            killer.queryForObject("select pg_terminate_backend(?, 5000)", Boolean.class, backend);
            throw new IllegalStateException("on purpose");
        }
    }

    private static ApplicationContextRunner application(DataSource ofLibrary, DataSource ofTransactions) {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        TransactionAutoConfiguration.class,
                        IdempotencyAutoConfiguration.class,
                        IdempotencyMessagingAutoConfiguration.class,
                        IdempotencyMessagingStorageAutoConfiguration.class,
                        IdempotencyMigrationAutoConfiguration.class))
                .withBean("dataSource", DataSource.class, () -> ofLibrary)
                .withBean(PlatformTransactionManager.class, () -> new JdbcTransactionManager(ofTransactions))
                .withBean(JdbcClient.class, () -> JdbcClient.create(ofTransactions))
                .withUserConfiguration(Notebook.class);
    }

    private String transactionThatWroteTheRequest() {
        return database.jdbc().queryForObject("select xmin::text from idempotency.idempotency_request", String.class);
    }

    private static DataSource springProxy(DataSource target, boolean subclass) {
        ProxyFactory factory = new ProxyFactory(target);
        factory.setProxyTargetClass(subclass);
        return (DataSource) factory.getProxy();
    }

    /** As tracing libraries do it: unknown to Spring, but it tells what it wraps. */
    private static DataSource foreignProxy(DataSource target) {
        return (DataSource) Proxy.newProxyInstance(
                WrappedDataSourceTest.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("isWrapperFor") && ((Class<?>) arguments[0]).isInstance(target)) {
                        return true;
                    }
                    if (method.getName().equals("unwrap") && ((Class<?>) arguments[0]).isInstance(target)) {
                        return target;
                    }
                    try {
                        return method.invoke(target, arguments);
                    } catch (InvocationTargetException failure) {
                        throw failure.getCause();
                    }
                });
    }
}
