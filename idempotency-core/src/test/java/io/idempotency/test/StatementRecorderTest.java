package io.idempotency.test;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.util.PSQLException;

import io.idempotency.test.StatementRecorder.Event;
import io.idempotency.test.StatementRecorder.Kind;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@PostgresTest
@Tag("full")
class StatementRecorderTest {

    private static final String INSERT = "insert into recorded values (?)";

    private final TestDatabase database;
    private final StatementRecorder recorder;

    StatementRecorderTest(TestDatabase database) {
        this.database = database;
        this.recorder = StatementRecorder.of(database.dataSource());
    }

    @BeforeEach
    void createTable() {
        database.jdbc().execute("create table if not exists recorded (id int)");
    }

    @Test
    void recordsATransaction() throws SQLException {
        try (Connection connection = recorder.dataSource().getConnection();
                PreparedStatement insert = connection.prepareStatement(INSERT);
                Statement select = connection.createStatement()) {
            connection.setAutoCommit(false);
            insert.setInt(1, 1);
            insert.executeUpdate();
            select.executeQuery("select 1");
            connection.commit();
            connection.setAutoCommit(true);
        }

        assertThat(recorder.events())
                .containsExactly(
                        new Event(1, Kind.STATEMENT, INSERT),
                        new Event(1, Kind.STATEMENT, "select 1"),
                        new Event(1, Kind.COMMIT, "commit"),
                        new Event(1, Kind.COMMIT, "setAutoCommit(true)"));
        assertThat(recorder.writes()).containsExactly(INSERT);
        assertThat(recorder.count(Kind.ROLLBACK)).isZero();
    }

    @Test
    void recordsABatchAsOne() throws SQLException {
        try (Connection connection = recorder.dataSource().getConnection();
                PreparedStatement insert = connection.prepareStatement(INSERT)) {
            for (int i = 0; i < 2; i++) {
                insert.setInt(1, i);
                insert.addBatch();
            }
            insert.executeBatch();
        }

        assertThat(recorder.events()).containsExactly(new Event(1, Kind.BATCH, INSERT + ";\n" + INSERT));
        recorder.reset();
        assertThat(recorder.events()).isEmpty();
    }

    @Test
    void passesTheDriversExceptionsAndClassesOn() throws SQLException {
        try (Connection connection = recorder.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            assertThatThrownBy(() -> statement.execute("nonsense")).isInstanceOf(PSQLException.class);
            assertThat(statement.getConnection()).isEqualTo(connection).hasSameHashCodeAs(connection);
            assertThat(Backends.pidOf(connection)).isPositive();
        }
        assertThat(recorder.dataSource().unwrap(DataSource.class)).isSameAs(database.dataSource());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "select 1 | false",
                "select * from t for update skip locked | false",
                "/* insert into */ select 1 -- delete from | false",
                "INSERT INTO t values (1) | true",
                "select set_config('a', 'b', true); insert into t values (1) | true",
                "with x as (delete from t returning *) select * from x | true",
                "update only t as x set a = 1 | true",
            })
    void tellsWritesFromReads(String sql, boolean write) {
        assertThat(StatementRecorder.isWrite(sql)).isEqualTo(write);
    }
}
