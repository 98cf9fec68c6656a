package io.idempotency.sample.database;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@Tag("full")
class EmbeddedServerTest {

    @TempDir
    private Path temporary;

    @Test
    void keepsWhatItCommitsUntilTheNextStart() throws Exception {
        EmbeddedServer closed;
        Path data;
        try (EmbeddedServer server = start()) {
            assertThat(setting(server, "fsync")).isEqualTo("on");
            assertThat(setting(server, "synchronous_commit")).isEqualTo("on");
            assertThat(setting(server, "listen_addresses")).isEqualTo("127.0.0.1");
            data = Path.of(setting(server, "data_directory"));
            run(server, "create table kept ()");
            closed = server;
        }
        assertThatThrownBy(() -> setting(closed, "fsync")).hasMessageContaining("refused");
        assertThat(data).startsWith(directory().toRealPath());
        try (EmbeddedServer server = start()) {
            assertThat(Path.of(setting(server, "data_directory"))).isEqualTo(data);
            run(server, "table kept");
        }
    }

    @Test
    void aProcessThatHasTheNumberOfADeadServerLives() throws Exception {
        Path data = leaveData();
        Process other = new ProcessBuilder("sleep", "600").start();
        try {
            Files.writeString(data.resolve("postmaster.pid"), other.pid() + "\n" + data + "\n0\n5432\n\n127.0.0.1\n");
            try (EmbeddedServer server = start()) {
                run(server, "table kept");
            }
            assertThat(other.isAlive()).isTrue();
        } finally {
            other.destroyForcibly();
        }
    }

    /** A killed postmaster leaves its file as well, and its number may be free or that of a server on other data. */
    @Test
    void aServerOnOtherDataLives() throws Exception {
        try (EmbeddedServer other = new EmbeddedServer(
                new DatabaseProperties(temporary.resolve("other").toString()))) {
            Path data = leaveData();
            Path noted = Path.of(setting(other, "data_directory")).resolve("postmaster.pid");
            Files.copy(noted, data.resolve("postmaster.pid"));
            assertThatThrownBy(this::start)
                    .isInstanceOf(DataDirectoryException.class)
                    .hasMessageContaining("lock file \"postmaster.pid\" already exists");
            run(other, "select 1");
        }
    }

    @Test
    void aStartThatWasKilledBeforeTheDataWasThereIsBegunAnew() throws Exception {
        Path halfDone = Files.createDirectories(directory().resolve("postgresql-half-done"));
        Files.createFile(halfDone.resolve("postgresql.conf"));
        try (EmbeddedServer server = start()) {
            run(server, "select 1");
        }
    }

    @Test
    void aSecondInstanceIsToldWhoHasTheData() throws Exception {
        try (EmbeddedServer first = start()) {
            assertThatThrownBy(this::start)
                    .isInstanceOf(DataDirectoryException.class)
                    .hasMessage("Another instance of the sample has its data in "
                            + directory().toRealPath() + ".");
            run(first, "select 1");
        }
    }

    @Test
    @Timeout(30)
    void dataOfAnotherVersionIsNamed() throws Exception {
        Path data = leaveData();
        Files.writeString(data.resolve("PG_VERSION"), "9.6\n");
        assertThatThrownBy(this::start)
                .isInstanceOf(DataDirectoryException.class)
                .hasMessageContaining(
                        "does not start on the data in " + directory().toRealPath())
                .hasMessageContaining("initialized by PostgreSQL version 9.6");
    }

    @Test
    @Timeout(30)
    void damagedDataIsToldOf() throws Exception {
        Path data = leaveData();
        Files.delete(data.resolve("global").resolve("pg_control"));
        assertThatThrownBy(this::start)
                .isInstanceOf(DataDirectoryException.class)
                .hasMessageContaining("could not find the database system");
    }

    /** Returns where a server that has ended has its data. */
    private Path leaveData() throws Exception {
        try (EmbeddedServer server = start()) {
            run(server, "create table kept ()");
            return Path.of(setting(server, "data_directory"));
        }
    }

    private EmbeddedServer start() throws IOException, InterruptedException {
        return new EmbeddedServer(new DatabaseProperties(directory().toString()));
    }

    private Path directory() {
        return temporary.resolve("data");
    }

    private static String setting(EmbeddedServer server, String name) throws SQLException {
        try (Connection connection = connect(server);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("show " + name)) {
            row.next();
            return row.getString(1);
        }
    }

    private static void run(EmbeddedServer server, String sql) throws SQLException {
        try (Connection connection = connect(server);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static Connection connect(EmbeddedServer server) throws SQLException {
        return DriverManager.getConnection(server.getJdbcUrl(), server.getUsername(), server.getPassword());
    }
}
