package io.idempotency.benchmarks.harness;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.UUID;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** A PostgreSQL server that keeps what it commits, with a database for each contender. */
public final class BenchmarkServer implements AutoCloseable {

    private static final Duration START_TIMEOUT = Duration.ofSeconds(60);

    /** No database of another owner has such a name. */
    private static final String PREFIX = "idempotency_benchmark_";

    /** For a relay and its handlers, beside the threads that call. */
    private static final int FURTHER_CONNECTIONS = 8;

    private final @Nullable EmbeddedPostgres embedded;

    private final String url;

    private final int poolSize;

    private final SingleConnectionDataSource connection;

    private final JdbcTemplate admin;

    private final Set<String> databases = new LinkedHashSet<>();

    /**
     * Starts a server, or connects to one.
     *
     * @param jdbcUrl of a running server, with user and password of a role that may create databases; null to start one
     * @param threads that call a contender at the same time
     * @throws IOException if it cannot be started
     * @throws SQLException if it cannot be reached
     */
    public BenchmarkServer(@Nullable String jdbcUrl, int threads) throws IOException, SQLException {
        poolSize = threads + FURTHER_CONNECTIONS;
        if (jdbcUrl == null) {
            EmbeddedPostgres started = start();
            embedded = started;
            url = "jdbc:postgresql://127.0.0.1:" + started.getPort() + "/postgres?user=postgres";
        } else {
            embedded = null;
            url = jdbcUrl;
        }
        connection = new SingleConnectionDataSource(dataSource().getConnection(), true);
        admin = new JdbcTemplate(connection);
    }

    private static EmbeddedPostgres start() throws IOException {
        Path byDefault = Path.of(System.getProperty("java.io.tmpdir"), "embedded-pg");
        return EmbeddedPostgres.builder()
                .setDataDirectory(Path.of(System.getProperty("ot.epg.working-dir", byDefault.toString()))
                        .resolve("data-" + UUID.randomUUID()))
                .setPGStartupWait(START_TIMEOUT)
                .setLocaleConfig("locale", "C")
                // The embedded server has both off unless told otherwise, so that a commit costs nothing.
                .setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on")
                .setServerConfig("max_connections", "200")
                .setServerConfig("shared_buffers", "256MB")
                // A checkpoint in one contender's turn would count against that one only.
                .setServerConfig("max_wal_size", "4GB")
                .setServerConfig("checkpoint_timeout", "1h")
                .setServerConfig("listen_addresses", "127.0.0.1")
                .setServerConfig("unix_socket_directories", "")
                .setServerConfig("logging_collector", "on")
                .start();
    }

    private PGSimpleDataSource dataSource() {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(url);
        return dataSource;
    }

    private PGSimpleDataSource dataSource(String database) {
        PGSimpleDataSource dataSource = dataSource();
        dataSource.setDatabaseName(PREFIX + database);
        return dataSource;
    }

    /** Creates an empty database; one of that name that an earlier run has left is dropped. */
    void createDatabase(String name) {
        drop(name);
        admin.execute("create database " + PREFIX + name);
        databases.add(name);
    }

    private void drop(String name) {
        admin.execute("drop database if exists " + PREFIX + name + " with (force)");
    }

    /** Returns a template with a new connection for each statement, whose round trips are not counted. */
    JdbcTemplate jdbc(String database) {
        return new JdbcTemplate(dataSource(database));
    }

    /** Returns a pool of the same size for each contender, whose round trips are counted. */
    HikariDataSource pool(String database) {
        PGSimpleDataSource dataSource = dataSource(database);
        dataSource.setSocketFactory(RoundTrips.class.getName());
        HikariConfig config = new HikariConfig();
        config.setDataSource(dataSource);
        config.setPoolName(database);
        config.setMaximumPoolSize(poolSize);
        // All are opened now, and none is opened, tested or replaced while a contender is measured.
        System.setProperty("com.zaxxer.hikari.blockUntilFilled", "true");
        config.setInitializationFailTimeout(START_TIMEOUT.toMillis());
        config.setIdleTimeout(0);
        config.setMaxLifetime(0);
        config.setKeepaliveTime(0);
        // Nor before a call, which would be a round trip of that call.
        System.setProperty("com.zaxxer.hikari.aliveBypassWindowMs", "3600000");
        return new HikariDataSource(config);
    }

    /** Returns the bytes of WAL that the whole server has written since it was created. */
    long walBytes() {
        Long bytes =
                admin.queryForObject("select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint", Long.class);
        return bytes == null ? 0 : bytes;
    }

    /** Returns a setting of the server. */
    public String setting(String name) {
        return String.valueOf(admin.queryForObject("select current_setting(?)", String.class, name));
    }

    @Override
    public void close() throws IOException {
        if (embedded == null) {
            databases.forEach(this::drop);
        }
        connection.destroy();
        if (embedded != null) {
            embedded.close();
        }
    }
}
