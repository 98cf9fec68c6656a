package io.idempotency.internal.postgres;

import org.postgresql.PGConnection;

/**
 * Tells the transaction that a key was claimed in from one that follows it on the same connection. A claim sets a parameter
 * locally that has no effect inside a transaction and that PostgreSQL reports to its clients, so that the driver learns of the
 * setting, and of its end, without asking. If a connection pool in between does not pass reports on, nothing is told apart.
 *
 * @see <a href="https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-ASYNC">Asynchronous Operations</a>
 */
final class ClaimMark {

    private static final String PARAMETER = "default_transaction_read_only";

    /** An expression for the list of a query. */
    static final String SET = "set_config('" + PARAMETER + "', 'on', true)";

    private ClaimMark() {}

    static boolean isOn(PGConnection driver) {
        return "on".equals(driver.getParameterStatus(PARAMETER));
    }
}
