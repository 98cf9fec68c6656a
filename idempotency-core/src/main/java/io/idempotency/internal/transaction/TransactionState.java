package io.idempotency.internal.transaction;

import java.sql.Connection;
import java.sql.SQLException;

import org.postgresql.core.BaseConnection;
import org.springframework.dao.DataAccessResourceFailureException;

/** The state of a transaction, which the driver knows without a round trip. */
public enum TransactionState {

    /** It can execute statements and commit. */
    OPEN,

    /** It is open, and marked by {@link #MARK}. */
    MARKED,

    /** A statement has failed, so PostgreSQL answers COMMIT with a rollback. */
    ABORTED,

    /** No transaction is open: it has not begun, or has ended. */
    ENDED;

    /**
     * The parameter that marks a transaction, to distinguish it from a later one on the same connection. It is {@code on} until the end
     * of the transaction, inside of which it has no effect. PostgreSQL reports the value to the driver, so no query is needed. If a
     * connection pooler does not forward these reports, the transactions cannot be distinguished.
     *
     * @see <a href="https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-ASYNC">Asynchronous Operations</a>
     */
    public static final String MARK = "default_transaction_read_only";

    /** Returns the state of the transaction on a connection. */
    public static TransactionState of(Connection connection) {
        try {
            BaseConnection driver = connection.unwrap(BaseConnection.class);
            return switch (driver.getTransactionState()) {
                case OPEN -> "on".equals(driver.getParameterStatus(MARK)) ? MARKED : OPEN;
                case FAILED -> ABORTED;
                case IDLE -> ENDED;
            };
        } catch (SQLException failure) {
            throw new DataAccessResourceFailureException("The state of the transaction could not be read", failure);
        }
    }
}
