package io.idempotency.sample.database;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

/**
 * A PostgreSQL server for as long as the application runs, with an empty database on every start. Spring Boot makes its
 * DataSource of it as it would of {@code spring.datasource.*}, and so it stops after that.
 */
@Component
@Profile("!postgres")
class EmbeddedServer implements JdbcConnectionDetails, AutoCloseable {

    private static final String USER = "postgres";

    private static final String DATABASE = "postgres";

    /** The first start unpacks the binaries, which a slow disk takes its time for. */
    private static final Duration START_TIMEOUT = Duration.ofSeconds(60);

    private final EmbeddedPostgres server;

    EmbeddedServer() throws IOException {
        server = EmbeddedPostgres.builder()
                .setDataDirectory(workingDirectory().resolve("data-" + UUID.randomUUID()))
                .setPGStartupWait(START_TIMEOUT)
                // It would stop the server while the application still answers its last requests.
                .setRegisterShutdownHook(false)
                .setLocaleConfig("locale", "C")
                // The library's defaults are off, so that a committed payment could be lost.
                .setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on")
                .setServerConfig("max_connections", "50")
                .setServerConfig("listen_addresses", "127.0.0.1")
                .setServerConfig("unix_socket_directories", "")
                .start();
    }

    /**
     * A killed application leaves its server running and its data. The library looks for both there, when another server
     * is started ten minutes later or more, and stops and deletes them.
     */
    private static Path workingDirectory() {
        Path byDefault = Path.of(System.getProperty("java.io.tmpdir"), "embedded-pg");
        return Path.of(System.getProperty("ot.epg.working-dir", byDefault.toString()));
    }

    @Override
    public String getJdbcUrl() {
        return "jdbc:postgresql://127.0.0.1:" + server.getPort() + "/" + DATABASE;
    }

    @Override
    public String getUsername() {
        return USER;
    }

    /** The server trusts whoever connects from this machine. */
    @Override
    public String getPassword() {
        return "";
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
