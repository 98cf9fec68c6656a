package io.idempotency.sample.database;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

/**
 * A PostgreSQL server for as long as the application runs, whose data stays for the next start. Spring Boot makes its
 * DataSource of it as it would of {@code spring.datasource.*}, and so it stops after that.
 */
@Component
@Profile("!postgres")
@EnableConfigurationProperties(DatabaseProperties.class)
class EmbeddedServer implements JdbcConnectionDetails, AutoCloseable {

    private static final Logger logger = LoggerFactory.getLogger(EmbeddedServer.class);

    private static final String USER = "postgres";

    private static final String DATABASE = "postgres";

    /** After a crash it first reads what was written since the last checkpoint. */
    private static final Duration START_TIMEOUT = Duration.ofSeconds(60);

    private final DataDirectory directory;

    private final EmbeddedPostgres server;

    EmbeddedServer(DatabaseProperties properties) throws IOException, InterruptedException {
        directory = DataDirectory.take(Path.of(properties.directory()));
        boolean started = false;
        try {
            Path data = directory.prepare();
            server = start(data);
            directory.markComplete(data);
            started = true;
        } finally {
            if (!started) {
                directory.close();
            }
        }
        logger.info("The data is kept in {}; delete that directory to begin with a new wallet", directory.path());
    }

    /** The library waits for its whole patience for a server that has already given up, so somebody has to look. */
    private EmbeddedPostgres start(Path data) throws IOException, InterruptedException {
        FutureTask<EmbeddedPostgres> start =
                new FutureTask<>(() -> builder(data).start());
        Thread thread = new Thread(start, "postgresql-start");
        thread.setDaemon(true);
        thread.start();
        while (true) {
            try {
                return start.get(100, TimeUnit.MILLISECONDS);
            } catch (TimeoutException notYet) {
                if (directory.startFailed()) {
                    start.cancel(true);
                    throw directory.unusable(null);
                }
            } catch (ExecutionException failure) {
                throw directory.unusable(failure.getCause());
            }
        }
    }

    private EmbeddedPostgres.Builder builder(Path data) {
        return EmbeddedPostgres.builder()
                .setDataDirectory(data)
                .setCleanDataDirectory(false)
                .setPGStartupWait(START_TIMEOUT)
                // It would stop the server while the application still answers its last requests.
                .setRegisterShutdownHook(false)
                // A file and not a pipe, because nobody reads a pipe after a kill.
                .setOutputRedirector(
                        ProcessBuilder.Redirect.appendTo(directory.log().toFile()))
                .setLocaleConfig("locale", "C")
                // The library's defaults are off, so that a committed payment could be lost.
                .setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on")
                .setServerConfig("max_connections", "50")
                .setServerConfig("listen_addresses", "127.0.0.1")
                .setServerConfig("unix_socket_directories", "");
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
        try (directory) {
            server.close();
        }
    }
}
