package io.idempotency.sample.database;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class EmbeddedServerTest {

    @Test
    void keepsWhatItCommitsAndLeavesNothingBehind() throws Exception {
        EmbeddedServer closed;
        Path data;
        try (EmbeddedServer server = new EmbeddedServer()) {
            assertThat(setting(server, "fsync")).isEqualTo("on");
            assertThat(setting(server, "synchronous_commit")).isEqualTo("on");
            assertThat(setting(server, "listen_addresses")).isEqualTo("127.0.0.1");
            data = Path.of(setting(server, "data_directory"));
            closed = server;
        }
        assertThatThrownBy(() -> setting(closed, "fsync")).hasMessageContaining("refused");
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
