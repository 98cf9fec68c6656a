package io.idempotency.boot.interleaving;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import javax.sql.DataSource;

import org.postgresql.core.BaseConnection;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.context.ConfigurableApplicationContext;

import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.boot.testing.RunTimeNames;
import io.idempotency.test.TestDatabase;

/** Two applications on one database, whose statements a scheduler owns. */
final class Applications implements AutoCloseable {

    /** Read when a pool is made: without it a backend that a fault has ended is lent for another half second. */
    private static final String ALWAYS_TEST_CONNECTIONS = "com.zaxxer.hikari.aliveBypassWindowMs";

    /** Enough for the driver to prepare all statements at the server, and for what is done at first only. */
    private static final int WARM_UP_CALLS = 8;

    /** Their faults are meant. */
    private static final List<String> SILENT = List.of("io.idempotency", "com.zaxxer.hikari", "org.springframework");

    /** Its levels are those of the whole JVM, so they are set only meanwhile. */
    private final LoggingSystem logging = LoggingSystem.get(Applications.class.getClassLoader());

    private final TestDatabase database;

    private final boolean areSerializable;

    private final List<ConfigurableApplicationContext> contexts = new ArrayList<>();

    private final Server server;

    private final Sessions sessions;

    /** Starts applications with plain JDBC. */
    Applications(TestDatabase database, String... properties) throws SQLException {
        this(database, Plain.class, properties);
    }

    Applications(TestDatabase database, Class<?> configuration, String... properties) throws SQLException {
        this.database = database;
        this.areSerializable = Arrays.stream(properties).anyMatch(property -> property.contains("SERIALIZABLE"));
        Shop.createTable(database.jdbc());
        System.setProperty(ALWAYS_TEST_CONNECTIONS, "0");
        try {
            for (int i = 0; i < 2; i++) {
                contexts.add(start(configuration, properties));
            }
        } finally {
            System.clearProperty(ALWAYS_TEST_CONNECTIONS);
        }
        SILENT.forEach(name -> logging.setLogLevel(name, LogLevel.OFF));
        this.server = new Server(database);
        try (Connection unused = contexts.get(0).getBean(DataSource.class).getConnection()) {
            this.sessions = new Sessions(unused.unwrap(BaseConnection.class));
        }
    }

    private ConfigurableApplicationContext start(Class<?> configuration, String... properties) {
        ConfigurableApplicationContext context = JdbcTestApplication.start(
                database,
                new Class<?>[] {Shop.class, YieldingDataSource.Wrapping.class, configuration},
                JdbcTestApplication.and(
                        properties,
                        "spring.datasource.url=" + database.jdbcUrl()
                                + (database.jdbcUrl().contains("?") ? "&" : "?")
                                // No server is lost here, so that nothing has to be on the disk.
                                + CuttableSockets.URL_PARAMETER + "&options=-c%20synchronous_commit=off"
                                // Many connections are lost, and the next ones are made without questions.
                                + "&sslmode=disable&assumeMinServerVersion=14",
                        "spring.datasource.hikari.maximum-pool-size=8",
                        "spring.datasource.hikari.minimum-idle=4",
                        // Any longer pause is one that waits for another caller.
                        "idempotency.retry.delay=1ms",
                        "idempotency.retry.multiplier=1",
                        "idempotency.purge.enabled=false",
                        "idempotency.storage.maintenance-interval=1d",
                        "idempotency.sample-interval=1d"));
        // A schedule is the same whether it is the first one or not.
        RunTimeNames.record(context, "scope", "writes");
        RunTimeNames.record(context, "consumer", "once", "once-in-transaction", "batch", "careless-batch", "troubled");
        RunTimeNames.record(context, "topic", "ledger", "orders", "troubled");
        return context;
    }

    /** Makes calls that no scheduler owns, so that later ones do not differ from each other. */
    <T> void warmUp(Caller<T> caller) {
        warmUp(
                caller.type(),
                (bean, key) -> Objects.requireNonNull(caller.calls().apply(bean, key)));
    }

    /** Does the same with any bean. */
    <T> void warmUp(Class<T> type, BiConsumer<T, String> calls) {
        for (int i = 0; i < WARM_UP_CALLS; i++) {
            for (T bean : beans(type)) {
                calls.accept(bean, "warm-up-" + i);
            }
        }
    }

    List<Shop> shops() {
        return beans(Shop.class);
    }

    /** Returns the bean of each application. */
    <T> List<T> beans(Class<T> type) {
        return contexts.stream().map(context -> context.getBean(type)).toList();
    }

    boolean areSerializable() {
        return areSerializable;
    }

    Server server() {
        return server;
    }

    TestDatabase database() {
        return database;
    }

    /** Returns the state that the last run has left in the sessions of both pools. */
    List<String> leftInSessions() {
        Collection<BaseConnection> used = contexts.stream()
                .map(context -> (YieldingDataSource) context.getBean(DataSource.class))
                .map(YieldingDataSource::takeUsed)
                .flatMap(Collection::stream)
                .toList();
        List<String> left = new ArrayList<>(sessions.differing(used));
        if (server.hasAdvisoryLocks()) {
            left.add("an advisory lock outlasts its transaction");
        }
        return left;
    }

    /** Returns what a run has left in the sessions and in its threads, and why it did not end. */
    List<String> leftBy(Run run) {
        List<String> left = new ArrayList<>(leftInSessions());
        if (run.stuck() != null) {
            left.add(run.stuck());
        }
        if (run.labels().stream().anyMatch(label -> label.endsWith(YieldPoint.COMMIT_OF_CLEAN_UP))) {
            left.add("the clean-up has committed a transaction that has failed");
        }
        run.actors().stream()
                .filter(actor -> !actor.leftovers().isEmpty())
                .forEach(actor -> left.add(actor.name() + " has left" + actor.leftovers()));
        return left;
    }

    @Override
    public void close() throws SQLException {
        server.close();
        contexts.forEach(ConfigurableApplicationContext::close);
        SILENT.forEach(name -> logging.setLogLevel(name, null));
    }

    private static final class Plain {}
}
