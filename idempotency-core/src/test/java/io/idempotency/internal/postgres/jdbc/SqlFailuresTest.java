package io.idempotency.internal.postgres.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.util.PSQLException;
import org.springframework.dao.DataAccessException;

import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** What PostgreSQL quotes of rows and parameters stays out of exceptions, and so out of logs. */
@PostgresTest
class SqlFailuresTest {

    private static final String SECRET = "4111-1111";

    private final TestDatabase database;

    SqlFailuresTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeEach
    void createTable() {
        database.jdbc().execute("drop table if exists card");
        database.jdbc().execute("create table card (number text primary key, owner text not null)");
        database.jdbc().execute("insert into card values ('4111-1111', 'ada')");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "insert into card values ('4111-1111', 'bob')",
                "insert into card values ('4111-1111', null)",
                "select '{\"card\": 4111-1111'::json"
            })
    void detailsAreLeftOut(String sql) throws SQLException {
        SQLException failure = failureOf(sql);
        assertThat((Throwable) failure).as("the guard is needed").hasMessageContaining(SECRET);

        DataAccessException translated = SqlFailures.translate("do it", null, failure);

        for (Throwable each = translated; each != null; each = each.getCause()) {
            assertThat(each.toString()).doesNotContain(SECRET);
        }
        assertThat(translated.getMostSpecificCause())
                .isInstanceOfSatisfying(
                        PSQLException.class,
                        cause -> assertThat(cause.getSQLState()).isEqualTo(failure.getSQLState()))
                .hasMessageStartingWith("ERROR: ");
        assertThat(translated.getMostSpecificCause().getStackTrace()).isEqualTo(failure.getStackTrace());
    }

    @Test
    void aClientLeavesThemOutToo() throws SQLException {
        try (Connection connection = database.dataSource().getConnection()) {
            assertThatExceptionOfType(DataAccessException.class)
                    .isThrownBy(() -> Clients.on(connection)
                            .sql("insert into card values (?, ?)")
                            .params(SECRET, "bob")
                            .update())
                    .satisfies(failure -> assertThat(failure.getMostSpecificCause())
                            .isInstanceOf(PSQLException.class)
                            .hasMessageContaining("card_pkey")
                            .hasMessageNotContaining(SECRET));
        }
    }

    @Test
    void whatTheServerDidNotSayIsKept() {
        SQLException lost = new SQLException("An I/O error occurred", "08006");

        assertThat((Throwable) SqlFailures.withoutValues(lost)).isSameAs(lost);
    }

    private SQLException failureOf(String sql) throws SQLException {
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException failure) {
            return failure;
        }
        throw new AssertionError("It did not fail: " + sql);
    }
}
