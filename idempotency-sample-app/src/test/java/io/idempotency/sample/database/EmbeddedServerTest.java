package io.idempotency.sample.database;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class EmbeddedServerTest {

    @Test
    void keepsWhatItCommitsAndLeavesNothingBehind() throws Exception {
        Path data;
        ProcessHandle process;
        try (EmbeddedServer server = new EmbeddedServer()) {
            assertThat(setting(server, "fsync")).isEqualTo("on");
            assertThat(setting(server, "synchronous_commit")).isEqualTo("on");
            assertThat(setting(server, "listen_addresses")).isEqualTo("127.0.0.1");
            data = Path.of(setting(server, "data_directory"));
            process = ProcessHandle.of(Long.parseLong(
                            Files.readAllLines(data.resolve("postmaster.pid")).get(0)))
                    .orElseThrow();
            assertThat(process.isAlive()).isTrue();
        }
        assertThat(process.isAlive()).isFalse();
        assertThat(data).doesNotExist();
    }

    private static String setting(EmbeddedServer server, String name) throws SQLException {
        try (Connection connection =
                        DriverManager.getConnection(server.getJdbcUrl(), server.getUsername(), server.getPassword());
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("show " + name)) {
            row.next();
            return row.getString(1);
        }
    }
}
