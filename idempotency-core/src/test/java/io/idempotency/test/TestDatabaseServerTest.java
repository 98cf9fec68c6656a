package io.idempotency.test;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

@PostgresTest
@Tag("full")
class TestDatabaseServerTest {

    private final TestDatabase database;

    TestDatabaseServerTest(TestDatabase database) {
        this.database = database;
    }

    @Test
    void isOneServerOfTheWantedVersion() {
        assertThat(database.server()).isSameAs(TestDatabaseServer.instance());
        assertThat(database.server().majorVersion()).isEqualTo(Integer.getInteger("postgres.version", 18));
        assertThat(setting("server_version")).startsWith(database.server().majorVersion() + ".");
    }

    @Test
    void commitsAsInProduction() {
        assumeThat(database.server().kind()).isNotEqualTo(TestDatabaseServer.Kind.EXTERNAL);

        assertThat(setting("synchronous_commit")).isEqualTo("on");
        assertThat(setting("full_page_writes")).isEqualTo("on");
        assertThat(setting("max_connections")).isEqualTo("300");
    }

    @Test
    void listensOnLoopbackOnly() {
        assumeThat(database.server().kind()).isEqualTo(TestDatabaseServer.Kind.EMBEDDED);

        assertThat(setting("listen_addresses")).isEqualTo("127.0.0.1");
    }

    @Test
    void aCrashKeepsWhatWasCommittedAndNothingElse() throws SQLException {
        assumeThat(database.server().canRestart()).isTrue();
        database.jdbc().execute("create table crash (id int)");
        try (Connection open = database.connection();
                Statement statement = open.createStatement()) {
            statement.execute("insert into crash values (1)");
            open.setAutoCommit(false);
            statement.execute("insert into crash values (2)");

            database.crashServer();

            assertThatThrownBy(open::commit).isInstanceOf(SQLException.class);
        }
        assertThat(database.jdbc().queryForList("select id from crash", Integer.class))
                .containsExactly(1);
        assertThat(setting("max_connections")).isEqualTo("300");
    }

    private String setting(String name) {
        return database.jdbc().queryForObject("select current_setting(?)", String.class, name);
    }
}
