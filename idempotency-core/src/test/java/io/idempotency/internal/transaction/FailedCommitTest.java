package io.idempotency.internal.transaction;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.idempotency.test.Backends;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** The end of a transaction whose COMMIT has failed: nothing that cleans up afterwards can commit it. */
@PostgresTest
class FailedCommitTest {

    private final TestDatabase database;

    private Connection connection;

    private int pid;

    FailedCommitTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeAll
    static void createTable(TestDatabase database) {
        database.jdbc().execute("create table effect (cents int)");
    }

    @BeforeEach
    void haveAnEffect() throws SQLException {
        connection = database.connection();
        pid = Backends.pidOf(connection);
        connection.setAutoCommit(false);
        connection.createStatement().execute("insert into effect values (1)");
    }

    @AfterEach
    void nothingIsKept() throws SQLException {
        if (!connection.isClosed()) {
            connection.setAutoCommit(true);
            connection.close();
        }
        database.backends().awaitGone(pid);
        assertThat(database.jdbc().queryForList("select cents from effect")).isEmpty();
    }

    @Test
    void afterAnAnswerItIsRolledBackAndTheConnectionStays() throws SQLException {
        SQLException refused = new SQLException("refused", "23505");

        assertThat(FailedCommit.rollBack(connection, refused)).isSameAs(refused);

        assertThat(connection.isClosed()).isFalse();
    }

    /** An answer may be unread, which the driver would take for that to the ROLLBACK. */
    @Test
    void afterAnErrorInTheDriverItsConnectionIsAborted() throws SQLException {
        OutOfMemoryError error = new OutOfMemoryError("no heap");

        assertInDoubt(FailedCommit.rollBack(connection, error), error);

        assertThat(connection.isClosed()).isTrue();
    }

    @Test
    void ifTheRollbackFailsTheConnectionIsAborted() throws SQLException {
        SQLException refused = new SQLException("refused", "23505");

        assertInDoubt(FailedCommit.rollBack(failingRollback(), refused), refused);

        assertThat(refused.getSuppressed()).singleElement().isInstanceOf(IllegalStateException.class);
        assertThat(connection.isClosed()).isTrue();
    }

    @Test
    void aTransactionThatWasLeftOpenIsRolledBack() throws SQLException {
        assertThat(FailedCommit.rollBackUnsent(connection)).isTrue();

        assertThat(connection.isClosed()).isFalse();
    }

    @Test
    void ifTheRollbackOfATransactionThatWasLeftOpenFailsTheConnectionIsAborted() throws SQLException {
        assertThat(FailedCommit.rollBackUnsent(failingRollback())).isFalse();

        assertThat(connection.isClosed()).isTrue();
    }

    private static void assertInDoubt(Exception result, Throwable cause) {
        assertThat(result).isInstanceOfSatisfying(SQLException.class, inDoubt -> {
            assertThat(inDoubt.getSQLState()).isEqualTo("08007");
            assertThat(inDoubt.getCause()).isSameAs(cause);
        });
    }

    /** The connection as a pool or an agent might wrap it that has a defect. */
    private Connection failingRollback() {
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("rollback")) {
                        throw new IllegalStateException("a defect of the wrapper");
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException failure) {
                        throw failure.getCause();
                    }
                });
    }
}
