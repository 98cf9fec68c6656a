package io.idempotency.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** A PostgreSQL server that keeps what it commits, and a database for each contender. */
final class BenchmarkServer implements AutoCloseable {

    private static final Duration START_TIMEOUT = Duration.ofSeconds(60);

    private final EmbeddedPostgres server;

    BenchmarkServer() throws IOException {
        Path byDefault = Path.of(System.getProperty("java.io.tmpdir"), "embedded-pg");
        server = EmbeddedPostgres.builder()
                .setDataDirectory(Path.of(System.getProperty("ot.epg.working-dir", byDefault.toString()))
                        .resolve("data-" + UUID.randomUUID()))
                .setPGStartupWait(START_TIMEOUT)
                .setLocaleConfig("locale", "C")
                // The library's defaults are off: figures would lie.
                .setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on")
                .setServerConfig("max_connections", "200")
                .setServerConfig("shared_buffers", "256MB")
                // A checkpoint in the round of one contender only would be an accident.
                .setServerConfig("max_wal_size", "4GB")
                .setServerConfig("listen_addresses", "127.0.0.1")
                .setServerConfig("unix_socket_directories", "")
                .setServerConfig("logging_collector", "on")
                .start();
    }

    Map<String, Object> createDatabase(String name) {
        jdbc("postgres").execute("create database " + name);
        return Map.of(
                "spring.datasource.url", url(name),
                "spring.datasource.username", "postgres",
                "spring.datasource.password", "");
    }

    /** A new connection on every call. */
    JdbcTemplate jdbc(String database) {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(url(database));
        dataSource.setUser("postgres");
        return new JdbcTemplate(dataSource);
    }

    private String url(String database) {
        return "jdbc:postgresql://127.0.0.1:" + server.getPort() + "/" + database;
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
