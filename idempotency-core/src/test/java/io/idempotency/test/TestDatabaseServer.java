package io.idempotency.test;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;

import io.idempotency.internal.postgres.MigratedTables;

/**
 * The PostgreSQL server of this JVM's tests, started when first asked for and stopped at JVM exit. In this order: the
 * server that the environment variable {@value #URL_VARIABLE} names, a container if a Docker engine answers, else the
 * embedded binaries. The system property {@value #KIND_PROPERTY} ({@code embedded}, {@code testcontainers} or
 * {@code auto}) forces one of the last two, or, with {@code citus}, the cluster whose coordinator {@link CitusCluster#VARIABLE}
 * names; {@value #VERSION_PROPERTY} names the major version.
 */
public final class TestDatabaseServer {

    /** The template of PostgreSQL that nothing is added to. */
    static final String EMPTY_TEMPLATE = "template0";

    static final String URL_VARIABLE = "IDEMPOTENCY_TEST_JDBC_URL";
    static final String KIND_PROPERTY = "idempotency.test.database";
    static final String VERSION_PROPERTY = "postgres.version";
    private static final String DEFAULT_VERSION = "18";

    private static TestDatabaseServer instance;
    private static RuntimeException startFailure;

    private final RunningServer server;
    private String migratedTemplate;
    private final Set<String> databases = ConcurrentHashMap.newKeySet();

    private TestDatabaseServer(RunningServer server) {
        this.server = server;
    }

    /** Starts the server on the first call; a failed start is remembered, not tried again by every test class. */
    public static synchronized TestDatabaseServer instance() {
        if (startFailure != null) {
            throw new IllegalStateException("No PostgreSQL for the tests (see the cause)", startFailure);
        }
        if (instance == null) {
            try {
                instance = start();
            } catch (RuntimeException e) {
                startFailure = e;
                throw e;
            }
        }
        return instance;
    }

    public String host() {
        return address().host();
    }

    public int port() {
        return address().port();
    }

    /** Whether {@link #restartImmediately()} works; for {@code assumeThat}. */
    public boolean canRestart() {
        return server.canRestart();
    }

    /**
     * Crashes the server ({@code pg_ctl restart -m immediate}) and returns when it accepts connections again, on the
     * same data and port. All tests of this JVM share it: every open connection breaks, those of cached Spring contexts
     * too.
     */
    void restartImmediately() {
        server.restartImmediately();
    }

    ServerAddress address() {
        return server.address();
    }

    void createDatabase(String name, String template) {
        if (server instanceof CitusCluster citus) {
            citus.createDatabase(name);
        } else {
            execute("create database " + name + " template " + template);
        }
        databases.add(name);
    }

    /** The database that is copied instead of migrating each one. */
    synchronized String migratedTemplate() {
        if (migratedTemplate == null) {
            TestDatabase template = TestDatabase.createEmpty();
            MigratedTables.in(template.adminDataSource(), MigratedTables.SCHEMA);
            // So that autovacuum does not connect to it, which CREATE DATABASE would wait for.
            execute("alter database " + template.name() + " allow_connections false");
            migratedTemplate = template.name();
        }
        return migratedTemplate;
    }

    boolean isDistributed() {
        return server instanceof CitusCluster;
    }

    void distribute(DataSource dataSource) {
        ((CitusCluster) server).distribute(dataSource);
    }

    void dropDatabase(String name) {
        if (server instanceof CitusCluster citus) {
            citus.dropDatabase(name);
            databases.remove(name);
            return;
        }
        execute("drop database if exists " + name + " with (force)");
        databases.remove(name);
    }

    private void execute(String sql) {
        try (Connection connection = connect(address());
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql + " failed", e);
        }
    }

    private static TestDatabaseServer start() {
        Kind kind = chooseKind();
        int wanted = wantedVersion();
        RunningServer server = start(kind, wanted);
        int actual = actualVersion(server.address());
        if (actual != wanted) {
            throw new IllegalStateException("The tests ask for PostgreSQL " + wanted + " (-D" + VERSION_PROPERTY
                    + "), but the " + kind.name().toLowerCase(Locale.ROOT) + " server is PostgreSQL " + actual + ". "
                    + (kind == Kind.EMBEDDED
                            ? "The binaries on the class path decide: choose a matching version of them."
                            : "Pass -D" + VERSION_PROPERTY + "=" + actual + " or name another server."));
        }
        TestDatabaseServer started = new TestDatabaseServer(server);
        if (kind == Kind.EXTERNAL) {
            // The other kinds vanish with all their databases; this one would keep what a test did not close.
            Runtime.getRuntime().addShutdownHook(new Thread(() -> started.databases.forEach(started::dropDatabase)));
        }
        return started;
    }

    private static Kind chooseKind() {
        String forced = System.getProperty(KIND_PROPERTY, "auto");
        return switch (forced) {
            case "embedded" -> Kind.EMBEDDED;
            case "testcontainers" -> Kind.TESTCONTAINERS;
            case "citus" -> Kind.CITUS;
            case "", "auto" -> {
                if (System.getenv(URL_VARIABLE) != null) {
                    yield Kind.EXTERNAL;
                }
                yield DockerEngine.answers() ? Kind.TESTCONTAINERS : Kind.EMBEDDED;
            }
            default ->
                throw new IllegalArgumentException(
                        KIND_PROPERTY + " must be embedded, testcontainers, citus or auto, not '" + forced + "'");
        };
    }

    private static RunningServer start(Kind kind, int majorVersion) {
        return switch (kind) {
            case CITUS -> CitusCluster.ofEnvironment();
            case EXTERNAL -> new ExternalServer(ServerAddress.parse(System.getenv(URL_VARIABLE)));
            case TESTCONTAINERS -> ContainerServer.start(majorVersion);
            case EMBEDDED -> EmbeddedServer.start();
        };
    }

    private static int wantedVersion() {
        String version = System.getProperty(VERSION_PROPERTY, "");
        try {
            return Integer.parseInt(version.isBlank() ? DEFAULT_VERSION : version.trim());
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    VERSION_PROPERTY + " must be a major version such as " + DEFAULT_VERSION + ", not '" + version
                            + "'",
                    e);
        }
    }

    private static int actualVersion(ServerAddress address) {
        try (Connection connection = connect(address);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("show server_version_num")) {
            row.next();
            return row.getInt(1) / 10_000;
        } catch (SQLException e) {
            throw new IllegalStateException("The PostgreSQL server for the tests cannot be reached", e);
        }
    }

    private static Connection connect(ServerAddress address) throws SQLException {
        return DriverManager.getConnection(address.jdbcUrl(address.database()), address.username(), address.password());
    }

    /** Where the server comes from. */
    private enum Kind {
        EXTERNAL,
        CITUS,
        TESTCONTAINERS,
        EMBEDDED
    }
}
