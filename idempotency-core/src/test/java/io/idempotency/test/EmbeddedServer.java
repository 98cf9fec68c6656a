package io.idempotency.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import io.zonky.test.db.postgres.util.LinuxUtils;

/** The PostgreSQL binaries on the class path; the library stops the server and deletes its data at JVM exit. */
final class EmbeddedServer implements RunningServer {

    private static final Duration START_TIMEOUT = Duration.ofSeconds(60);

    private final ServerAddress address;
    private final Path dataDirectory;
    private final Path binaries;

    private EmbeddedServer(ServerAddress address, Path dataDirectory, Path binaries) {
        this.address = address;
        this.dataDirectory = dataDirectory;
        this.binaries = binaries;
    }

    static EmbeddedServer start() {
        Path dataDirectory = workingDirectory().resolve("data-" + UUID.randomUUID());
        try {
            EmbeddedPostgres postgres = EmbeddedPostgres.builder()
                    .setDataDirectory(dataDirectory)
                    .setPGStartupWait(START_TIMEOUT)
                    .setLocaleConfig("locale", "C")
                    // Only a crash of the machine would show the difference, and figures do.
                    .setServerConfig("fsync", TestSize.pick("off", "on"))
                    .setServerConfig("synchronous_commit", "on")
                    .setServerConfig("max_connections", "300")
                    .setServerConfig("listen_addresses", "127.0.0.1")
                    .setServerConfig("unix_socket_directories", "")
                    // Into a file of the data directory: tests provoke many errors, which need not fill their output.
                    .setServerConfig("logging_collector", "on")
                    .start();
            ServerAddress address =
                    new ServerAddress("127.0.0.1", postgres.getPort(), "postgres", "", "postgres", "postgres");
            return new EmbeddedServer(address, dataDirectory, binaries(postgres));
        } catch (IOException | SQLException e) {
            throw new IllegalStateException("The embedded PostgreSQL did not start", e);
        }
    }

    @Override
    public ServerAddress address() {
        return address;
    }

    @Override
    public boolean canRestart() {
        return true;
    }

    @Override
    public void restartImmediately() {
        List<String> command = new ArrayList<>();
        if (LinuxUtils.isUnshareAvailable()) {
            // PostgreSQL refuses to run as root; the library steps aside in the same way.
            command.addAll(List.of("unshare", "-U"));
        }
        command.addAll(List.of(binaries.resolve("pg_ctl").toString(), "restart", "-D", dataDirectory.toString()));
        command.addAll(List.of("-m", "immediate", "-w", "-t", Long.toString(START_TIMEOUT.toSeconds())));
        run(command);
    }

    private static void run(List<String> command) {
        try {
            // A file and not a pipe: the restarted server could keep the pipe open.
            Path output = Files.createTempFile("pg_ctl", ".log");
            try {
                Process process = new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start();
                boolean ended = process.waitFor(2 * START_TIMEOUT.toSeconds(), TimeUnit.SECONDS);
                if (!ended || process.exitValue() != 0) {
                    process.destroy();
                    throw new IllegalStateException(command + " failed:\n" + Files.readString(output));
                }
            } finally {
                Files.delete(output);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while restarting PostgreSQL", e);
        }
    }

    /** The library's own: what a killed JVM leaves there is stopped and deleted by a later run. */
    private static Path workingDirectory() {
        Path fallback = Path.of(System.getProperty("java.io.tmpdir"), "embedded-pg");
        return Path.of(System.getProperty("ot.epg.working-dir", fallback.toString()));
    }

    /** The library does not tell where it unpacked them, the server does. */
    private static Path binaries(EmbeddedPostgres postgres) throws SQLException {
        try (Connection connection = postgres.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select setting from pg_config where name = 'BINDIR'")) {
            row.next();
            return Path.of(row.getString(1));
        }
    }
}
