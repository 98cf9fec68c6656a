package io.idempotency.test;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.internal.postgres.MigratedTables;

/**
 * A fresh database on the {@link TestDatabaseServer} with the empty tables of the library, dropped by {@link #close()} with
 * whatever is still connected to it. Tests thus never see each other's rows, and nothing has to be cleaned up between them.
 */
public final class TestDatabase implements AutoCloseable {

    private static final int POOL_SIZE = 10;

    /** The size of the pool for {@link #jdbc()}. */
    private static final int ADMIN_POOL_SIZE = 4;

    /** A test that empties its pool shall fail soon, not after Hikari's 30 seconds. */
    private static final Duration CONNECTION_TIMEOUT = Duration.ofSeconds(5);

    /**
     * Hikari fills each pool by default, but most tests use a connection or two, and each takes PostgreSQL a new process. A pool
     * that is not filled may forget a thread that waits beside others: its request for a connection counts as made if the queue
     * is as long as the thread saw it when it came, and another thread may have filled it since. With one, Hikari's housekeeper
     * opens the missing connection, but only every 30 seconds. A test that needs several connections at once takes those of
     * {@link #connection()}.
     */
    private static final int MINIMUM_IDLE = 1;

    private static final String HOUSEKEEPING = "com.zaxxer.hikari.housekeeping.period.ms";

    private static final String HOUSEKEEPING_PERIOD = "500";

    /** For the command of another JVM with a pool for this database. */
    public static final String POOL_OPTION = "-D" + HOUSEKEEPING + "=" + HOUSEKEEPING_PERIOD;

    static {
        System.setProperty(HOUSEKEEPING, HOUSEKEEPING_PERIOD);
    }

    private final TestDatabaseServer server;
    private final String name;
    private final PGSimpleDataSource adminDataSource;
    private final List<HikariDataSource> pools = new CopyOnWriteArrayList<>();
    private final AtomicBoolean closed = new AtomicBoolean();
    private HikariDataSource defaultPool;
    private HikariDataSource adminPool;

    private TestDatabase(TestDatabaseServer server, String name) {
        this.server = server;
        this.name = name;
        this.adminDataSource = unpooled("test-admin");
    }

    private PGSimpleDataSource unpooled(String applicationName) {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(jdbcUrl());
        dataSource.setUser(username());
        dataSource.setPassword(password());
        dataSource.setApplicationName(applicationName);
        return dataSource;
    }

    public static TestDatabase create() {
        TestDatabaseServer server = TestDatabaseServer.instance();
        if (server.isDistributed()) {
            TestDatabase database = createEmpty();
            MigratedTables.withFunctionsIn(database.adminDataSource(), MigratedTables.SCHEMA);
            server.distribute(database.adminDataSource());
            return database;
        }
        return create(server.migratedTemplate());
    }

    /** Creates a database without the tables of the library. */
    public static TestDatabase createEmpty() {
        return create(TestDatabaseServer.EMPTY_TEMPLATE);
    }

    private static TestDatabase create(String template) {
        TestDatabaseServer server = TestDatabaseServer.instance();
        String name = "test_" + UUID.randomUUID().toString().replace("-", "");
        server.createDatabase(name, template);
        return new TestDatabase(server, name);
    }

    public TestDatabaseServer server() {
        return server;
    }

    public String name() {
        return name;
    }

    public String jdbcUrl() {
        return server.address().jdbcUrl(name);
    }

    public String username() {
        return server.address().username();
    }

    public String password() {
        return server.address().password();
    }

    /** What Spring Boot needs to know to use this database. */
    public Map<String, Object> springProperties() {
        Map<String, Object> properties = new HashMap<>();
        properties.put("spring.datasource.url", jdbcUrl());
        properties.put("spring.datasource.username", username());
        properties.put("spring.datasource.password", password());
        properties.put("spring.datasource.hikari.minimum-idle", MINIMUM_IDLE);
        return properties;
    }

    /** This database's pool of {@value #POOL_SIZE} connections, the same one on every call. */
    public synchronized HikariDataSource dataSource() {
        if (defaultPool == null) {
            defaultPool = dataSource(POOL_SIZE);
        }
        return defaultPool;
    }

    /** A new pool of that size; closed with this database. */
    public HikariDataSource dataSource(int size) {
        return dataSource(jdbcUrl(), size);
    }

    /** A new pool of that size on another URL that leads to this database; closed with this database. */
    HikariDataSource dataSource(String url, int size) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setUsername(username());
        config.setPassword(password());
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(MINIMUM_IDLE);
        config.setConnectionTimeout(CONNECTION_TIMEOUT.toMillis());
        HikariDataSource pool = new HikariDataSource(config);
        pools.add(pool);
        return pool;
    }

    /** A new connection on every call, outside every pool and transaction of the test. */
    public DataSource adminDataSource() {
        return adminDataSource;
    }

    /** A new unpooled connection, which the caller closes. */
    public Connection connection() throws SQLException {
        return adminDataSource.getConnection();
    }

    /**
     * Sets up and looks at rows, each statement in a transaction of its own, on connections that {@link Backends} does not show. One
     * that was lost is replaced.
     */
    public JdbcTemplate jdbc() {
        return new JdbcTemplate(adminPool());
    }

    private synchronized HikariDataSource adminPool() {
        if (adminPool == null) {
            HikariConfig config = new HikariConfig();
            config.setDataSource(unpooled(Backends.OBSERVER));
            config.setMaximumPoolSize(ADMIN_POOL_SIZE);
            config.setMinimumIdle(MINIMUM_IDLE);
            adminPool = new HikariDataSource(config);
            pools.add(adminPool);
        }
        return adminPool;
    }

    /**
     * Crashes the server as {@link TestDatabaseServer#restartImmediately()} does, and ends the connections of {@link #jdbc()}:
     * Hikari does not test one that was used within half a second, and the server may be back sooner.
     */
    public void crashServer() {
        server.restartImmediately();
        adminPool().getHikariPoolMXBean().softEvictConnections();
    }

    public Backends backends() {
        return new Backends(adminDataSource, adminPool(), pools, server.isDistributed());
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            pools.forEach(HikariDataSource::close);
            server.dropDatabase(name);
        }
    }

    @Override
    public String toString() {
        return jdbcUrl();
    }
}
