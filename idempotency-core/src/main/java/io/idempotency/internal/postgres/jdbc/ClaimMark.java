package io.idempotency.internal.postgres.jdbc;

import org.postgresql.PGConnection;

/**
 * A mark on a transaction in which a key was claimed: it distinguishes that transaction from a later one on the same connection.
 * A claim sets a parameter locally that has no effect inside a transaction and that PostgreSQL reports to its clients, so the
 * driver learns of the setting, and of its end, without a query. If a connection pool in between does not pass such reports
 * on, the transactions cannot be distinguished.
 *
 * @see <a href="https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-ASYNC">Asynchronous Operations</a>
 */
public final class ClaimMark {

    private static final String PARAMETER = "default_transaction_read_only";

    /** An expression for the list of a query. */
    static final String SET = "set_config('" + PARAMETER + "', 'on', true)";

    private ClaimMark() {}

    /**
     * Tells whether the present transaction has the mark.
     *
     * @param driver the driver's connection
     * @return whether a key was claimed in it
     */
    public static boolean isOn(PGConnection driver) {
        return "on".equals(driver.getParameterStatus(PARAMETER));
    }
}
