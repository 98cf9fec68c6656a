package io.idempotency.sample.cluster;

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
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import javax.sql.DataSource;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import io.zonky.test.db.postgres.util.LinuxUtils;
import org.postgresql.ds.PGSimpleDataSource;

import io.idempotency.sample.cluster.Fault.Kind;

/** The cluster's own PostgreSQL, which can crash without any other test noticing. */
final class PostgresServer implements ClusterServer {

    private static final Duration TIMEOUT = Duration.ofMinutes(1);

    private static final String USER = "postgres";

    /** The library's defaults are not durable: what was committed would not survive. */
    private static final Map<String, String> SETTINGS = Map.of(
            "fsync", "on",
            "synchronous_commit", "on",
            "full_page_writes", "on",
            "max_connections", "100",
            "listen_addresses", "127.0.0.1",
            "unix_socket_directories", "",
            "logging_collector", "on");

    private final EmbeddedPostgres postgres;

    private final Path dataDirectory;

    private final Path controller;

    private PostgresServer(EmbeddedPostgres postgres, Path dataDirectory) throws SQLException {
        this.postgres = postgres;
        this.dataDirectory = dataDirectory;
        this.controller = binaries(postgres).resolve("pg_ctl");
    }

    /** With its data in a directory that need not exist. */
    static PostgresServer start(Path dataDirectory) throws IOException, SQLException {
        EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder()
                .setDataDirectory(dataDirectory)
                .setPGStartupWait(TIMEOUT)
                .setLocaleConfig("locale", "C");
        SETTINGS.forEach(builder::setServerConfig);
        EmbeddedPostgres postgres = builder.start();
        return new PostgresServer(postgres, dataDirectory);
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

    @Override
    public Set<Kind> faults() {
        return EnumSet.complementOf(EnumSet.of(Kind.CRASHED_WORKER));
    }

    @Override
    public String url() {
        return "jdbc:postgresql://127.0.0.1:" + postgres.getPort() + "/postgres";
    }

    @Override
    public String user() {
        return USER;
    }

    @Override
    public String password() {
        return "";
    }

    @Override
    public DataSource dataSource() {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(url());
        dataSource.setUser(USER);
        dataSource.setApplicationName("cluster-test");
        return dataSource;
    }

    @Override
    public void stopImmediately() {
        control("stop", "-m", "immediate");
    }

    @Override
    public void startAgain() {
        String options = SETTINGS.entrySet().stream()
                .map(setting -> " -c " + setting.getKey() + "='" + setting.getValue() + "'")
                .collect(Collectors.joining("", "-p " + postgres.getPort(), ""));
        control("start", "-o", options);
    }

    private void control(String action, String... options) {
        List<String> command = new ArrayList<>();
        if (LinuxUtils.isUnshareAvailable()) {
            // PostgreSQL refuses to run as root; the library steps aside in the same way.
            command.addAll(List.of("unshare", "-U"));
        }
        command.addAll(List.of(controller.toString(), action, "-D", dataDirectory.toString()));
        command.addAll(List.of("-w", "-t", Long.toString(TIMEOUT.toSeconds())));
        command.addAll(List.of(options));
        // A file and not a pipe: the started server would keep the pipe open.
        Path output = dataDirectory.resolveSibling("pg_ctl-" + action + ".log");
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            if (!process.waitFor(2 * TIMEOUT.toSeconds(), TimeUnit.SECONDS) || process.exitValue() != 0) {
                process.destroy();
                throw new IllegalStateException(command + " failed:\n" + Files.readString(output));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while " + action + " was on its way", e);
        }
    }

    @Override
    public void close() throws IOException {
        postgres.close();
    }
}
