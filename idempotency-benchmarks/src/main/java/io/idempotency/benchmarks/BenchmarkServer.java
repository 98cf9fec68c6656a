package io.idempotency.benchmarks;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** A PostgreSQL server that keeps what it commits, and a database for each contender. */
final class BenchmarkServer implements AutoCloseable {

    private static final Duration START_TIMEOUT = Duration.ofSeconds(60);

    /** Databases of another server's owner must not be met by accident. */
    private static final String PREFIX = "idempotency_benchmark_";

    private static final int PROBES = 200;

    private final @Nullable EmbeddedPostgres embedded;

    /** Leads to a database in which others are created. */
    private final String adminUrl;

    private final @Nullable DelayingProxy link;

    private final Duration linkDelay;

    private final List<String> databases = new ArrayList<>();

    /** Starts one, without a link delay. */
    BenchmarkServer() throws IOException {
        this(null, Duration.ZERO);
    }

    /**
     * Starts or uses one.
     *
     * @param jdbcUrl of a running server, with user and password of a role that may create databases; null to start one
     * @param linkDelay in each direction, for the connections of {@link #pool}
     */
    BenchmarkServer(@Nullable String jdbcUrl, Duration linkDelay) throws IOException {
        if (jdbcUrl == null) {
            EmbeddedPostgres started = start();
            embedded = started;
            adminUrl = "jdbc:postgresql://127.0.0.1:" + started.getPort() + "/postgres?user=postgres";
        } else {
            embedded = null;
            adminUrl = jdbcUrl;
        }
        this.linkDelay = linkDelay;
        link = linkDelay.isZero() ? null : new DelayingProxy(address(), linkDelay);
    }

    private static EmbeddedPostgres start() throws IOException {
        Path byDefault = Path.of(System.getProperty("java.io.tmpdir"), "embedded-pg");
        return EmbeddedPostgres.builder()
                .setDataDirectory(Path.of(System.getProperty("ot.epg.working-dir", byDefault.toString()))
                        .resolve("data-" + UUID.randomUUID()))
                .setPGStartupWait(START_TIMEOUT)
                .setLocaleConfig("locale", "C")
                // The library's defaults are off: figures would lie.
                .setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on")
                .setServerConfig("max_connections", "300")
                .setServerConfig("shared_buffers", "256MB")
                // A checkpoint in the round of one contender only would be an accident.
                .setServerConfig("max_wal_size", "4GB")
                .setServerConfig("checkpoint_timeout", "1h")
                .setServerConfig("listen_addresses", "127.0.0.1")
                .setServerConfig("unix_socket_directories", "")
                .setServerConfig("logging_collector", "on")
                .start();
    }

    private InetSocketAddress address() {
        PGSimpleDataSource server = dataSource();
        int port = server.getPortNumbers()[0];
        return InetSocketAddress.createUnresolved(server.getServerNames()[0], port == 0 ? 5_432 : port);
    }

    private PGSimpleDataSource dataSource() {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(adminUrl);
        return dataSource;
    }

    Map<String, Object> createDatabase(String name) {
        create(name);
        return Map.of(
                "spring.datasource.url",
                        "jdbc:postgresql://127.0.0.1:" + address().getPort() + "/" + PREFIX + name,
                "spring.datasource.username", "postgres",
                "spring.datasource.password", "");
    }

    /** An empty database, whatever was left of it by a run that was killed. */
    void create(String name) {
        dropIfExists(name);
        admin().execute("create database " + PREFIX + name);
        databases.add(name);
    }

    private void dropIfExists(String name) {
        admin().execute("drop database if exists " + PREFIX + name + " with (force)");
    }

    /** A new connection on every call, past the link. */
    JdbcTemplate jdbc(String database) {
        PGSimpleDataSource dataSource = dataSource();
        dataSource.setDatabaseName(PREFIX + database);
        return new JdbcTemplate(dataSource);
    }

    /** A new connection on every call, to no contender's database. */
    JdbcTemplate admin() {
        return new JdbcTemplate(dataSource());
    }

    /** Past the link, to no contender's database. */
    Connection connect() throws SQLException {
        return dataSource().getConnection();
    }

    /** What a database is called on the server. */
    static String qualified(String database) {
        return PREFIX + database;
    }

    /** Connections by way of the link, of which the round trips are counted; they are opened when needed, and kept. */
    HikariDataSource pool(String database, int size) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(linked(PREFIX + database));
        config.setPoolName(database);
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(1);
        // No connection shall be asked whether it is alive, or replaced, while another contender is measured.
        config.setIdleTimeout(0);
        config.setMaxLifetime(0);
        config.setKeepaliveTime(0);
        return new HikariDataSource(config);
    }

    private PGSimpleDataSource linked(@Nullable String database) {
        PGSimpleDataSource dataSource = dataSource();
        if (database != null) {
            dataSource.setDatabaseName(database);
        }
        dataSource.setSocketFactory(CountingSocketFactory.class.getName());
        if (link != null) {
            dataSource.setServerNames(new String[] {link.address().getHostString()});
            dataSource.setPortNumbers(new int[] {link.address().getPort()});
        }
        return dataSource;
    }

    /** The link stays in between, and is as fast as it can be until the operation has ended. */
    void withoutLinkDelay(Operation operation) throws Exception {
        if (link == null) {
            operation.run();
            return;
        }
        link.delay(Duration.ZERO);
        try {
            operation.run();
        } finally {
            link.delay(linkDelay);
        }
    }

    /** What a round trip by way of the link takes that asks for nothing. */
    double roundTripMicros() throws SQLException {
        try (Connection connection = linked(null).getConnection();
                PreparedStatement statement = connection.prepareStatement("select 1")) {
            List<Double> micros = new ArrayList<>();
            for (int i = 0; i < PROBES; i++) {
                long start = System.nanoTime();
                statement.executeQuery().close();
                micros.add((System.nanoTime() - start) / 1e3);
            }
            return Median.of(micros);
        }
    }

    /**
     * Refuses a server that is too small, before an hour has passed.
     *
     * @throws IllegalArgumentException which says what is needed
     */
    void requireConnections(int needed) {
        int allowed = Integer.parseInt(setting("max_connections"));
        if (allowed < needed) {
            throw new IllegalArgumentException("The server allows max_connections = " + allowed + ", but " + needed
                    + " are needed: raise it, or measure with fewer threads");
        }
    }

    String setting(String name) {
        return String.valueOf(admin().queryForObject("select current_setting(?)", String.class, name));
    }

    @Override
    public void close() throws IOException {
        if (link != null) {
            link.close();
        }
        if (embedded == null) {
            databases.forEach(this::dropIfExists);
        } else {
            embedded.close();
        }
    }
}
