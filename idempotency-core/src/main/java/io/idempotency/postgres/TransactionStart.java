package io.idempotency.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;
import org.postgresql.jdbc.AutoSave;
import org.postgresql.jdbc.PreferQueryMode;

/** Keeps the driver from saying BEGIN: the statements at the start of a transaction do, or come before it. */
final class TransactionStart {

    private final BaseConnection driver;

    private TransactionStart(BaseConnection driver) {
        this.driver = driver;
    }

    /**
     * Nothing if a transaction has begun or none is to begin, or if the driver does more at its start than to say BEGIN: it
     * may set a savepoint, or make the transaction read-only.
     */
    static @Nullable TransactionStart of(Connection connection) throws SQLException {
        if (!connection.isWrapperFor(BaseConnection.class)) {
            return null;
        }
        BaseConnection driver = connection.unwrap(BaseConnection.class);
        boolean isBegunByBegin = driver.getTransactionState() == TransactionState.IDLE
                && !driver.getAutoCommit()
                && !driver.isReadOnly()
                && driver.getAutosave() == AutoSave.NEVER;
        return isBegunByBegin ? new TransactionStart(driver) : null;
    }

    /**
     * Whether statements that are sent together are one transaction where none says BEGIN, as long as the driver need not ask
     * for their description. In its simple mode it sends each of them as a query of its own.
     *
     * @see <a href="https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-PIPELINING">Pipelining</a>
     */
    boolean hasImplicitTransactionBlocks() {
        return driver.getPreferQueryMode() != PreferQueryMode.SIMPLE;
    }

    /**
     * In autocommit mode the driver sends what it is given and no BEGIN. While no transaction is open it only takes a note of
     * that mode, of which wrappers of the connection learn nothing.
     */
    boolean execute(PreparedStatement statement) throws SQLException {
        if (driver.getTransactionState() != TransactionState.IDLE) {
            // A wrapper has begun it meanwhile with a statement of its own: then PostgreSQL takes BEGIN for nothing but
            // a warning.
            return statement.execute();
        }
        driver.setAutoCommit(true);
        boolean isResultSet;
        try {
            isResultSet = statement.execute();
        } catch (Throwable failure) {
            leaveAutoCommit(failure);
            throw failure;
        }
        driver.setAutoCommit(false);
        return isResultSet;
    }

    private void leaveAutoCommit(Throwable failure) {
        try {
            driver.setAutoCommit(false);
        } catch (SQLException connectionLost) {
            failure.addSuppressed(connectionLost);
        }
    }
}
