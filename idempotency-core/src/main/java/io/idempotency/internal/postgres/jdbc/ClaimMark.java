package io.idempotency.internal.postgres.jdbc;

import org.postgresql.PGConnection;

/**
 * The mark of a transaction in which a key was claimed. It distinguishes the transaction from a later one on the same
 * connection. A claim sets, until the end of its transaction, a parameter that has no effect inside one. PostgreSQL reports the
 * value to the driver, so no query is needed. If a connection pooler does not forward these reports, the transactions cannot be
 * distinguished.
 *
 * @see <a href="https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-ASYNC">Asynchronous Operations</a>
 */
public final class ClaimMark {

    private static final String PARAMETER = "default_transaction_read_only";

    /** An expression for a select list that sets the mark. */
    static final String SET = "set_config('" + PARAMETER + "', 'on', true)";

    private ClaimMark() {}

    /**
     * Returns whether the current transaction has the mark.
     *
     * @return whether a key was claimed in it
     */
    public static boolean isOn(PGConnection driver) {
        return "on".equals(driver.getParameterStatus(PARAMETER));
    }
}
