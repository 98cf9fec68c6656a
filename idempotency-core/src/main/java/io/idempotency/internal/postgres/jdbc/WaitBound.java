package io.idempotency.internal.postgres.jdbc;

import java.sql.SQLException;
import java.time.Duration;

import io.idempotency.internal.transaction.TransactionState;

/**
 * The time limit of one statement that may wait for a lock.
 *
 * @param milliseconds the value of {@code statement_timeout}; at least 1, because 0 means no limit
 * @param start the {@link System#nanoTime()} at which the statement is sent
 */
public record WaitBound(long milliseconds, long start) {

    /** See <a href="https://www.postgresql.org/docs/current/errcodes-appendix.html">PostgreSQL Error Codes</a>. */
    private static final String QUERY_CANCELED = "57014";

    private static final String LOCK_NOT_AVAILABLE = "55P03";

    /** The column with the isolation level in the first result of {@link #around(String, String)}. */
    public static final String ISOLATION = "transaction_isolation";

    /** Bounds statements that are executed while a caller waits for an exception, and lets them be committed durably. */
    public static final String BRIEFLY = """
            select set_config('statement_timeout', '2000', true), %s;
            """.replace("%s", DurableCommit.SET);

    /**
     * Sets the bound, which is the first parameter. It is a number, because with {@code stringtype=unspecified} the driver
     * needs an extra round trip to learn the type of a text.
     */
    private static final String BOUND = "set_config('statement_timeout', cast(cast(? as bigint) as text), true)";

    private static final String SET =
            "select set_config('idempotency.prev', current_setting('statement_timeout'), true), " + BOUND + ", "
                    + DurableCommit.SET;

    private static final String SET_BRIEFLY = SET.replace("cast(cast(? as bigint) as text)", "'2000'");

    private static final String SET_AND_MARK = SET + ", set_config('" + TransactionState.MARK + "', 'on', true)";

    private static final String READ_ISOLATION = ", current_setting('" + ISOLATION + "') as " + ISOLATION;

    private static final String RESTORE = "set_config('statement_timeout', current_setting('idempotency.prev'), true)";

    /** The column with the id of the transaction in the last result of {@link #aroundClaim(String)}. */
    public static final String TRANSACTION = "transaction_id";

    /** Null if the transaction has written nothing: to assign an id would make it write a commit record. */
    private static final String READ_TRANSACTION =
            ", pg_catalog.pg_current_xact_id_if_assigned()::text as " + TRANSACTION;

    /** The largest value of {@code statement_timeout}, about 25 days. */
    private static final int LONGEST = Integer.MAX_VALUE;

    /**
     * Bounds statements without an extra round trip: sets the bound, which is the first parameter, and restores the
     * application's setting at the end. The transaction will be committed durably. A lock_timeout would bound each lock wait and not their sum. If the bound is exceeded,
     * the transaction is aborted, and its settings end with it.
     */
    public static String around(String statements) {
        return SET + ";\n" + statements + ";\nselect " + RESTORE;
    }

    /** Bounds statements, before a COMMIT that nothing may bound, while a caller waits for an exception. */
    public static String brieflyAround(String statements) {
        return SET_BRIEFLY + ";\n" + statements + ";\nselect " + RESTORE;
    }

    /**
     * Bounds the statements of a claim in the same way, and sets {@link TransactionState#MARK}. The first result has the isolation
     * level as {@value #ISOLATION}, the last one the id of the transaction as {@value #TRANSACTION}.
     */
    public static String aroundClaim(String statements) {
        return SET_AND_MARK + READ_ISOLATION + ";\n" + statements + ";\nselect " + RESTORE + READ_TRANSACTION;
    }

    /**
     * Bounds statements in the same way. Meanwhile a setting has the value {@code yes}, which
     * triggers read. The first result has the isolation level as {@value #ISOLATION}.
     */
    public static String around(String mark, String statements) {
        return SET + ", set_config('" + mark + "', 'yes', true)" + READ_ISOLATION + ";\n" + statements + ";\nselect "
                + RESTORE + ", set_config('" + mark + "', 'no', true)";
    }

    /**
     * Bounds the statement of a claim, which restores the setting by itself and sets {@link TransactionState#MARK}. This saves a
     * statement: PostgreSQL fixes the timeout of a statement when the statement starts.
     *
     * @param statement the statement with the placeholder {@code {restore}}, which must always be evaluated
     */
    public static String restoredWithin(String statement) {
        return SET_AND_MARK + ";\n" + statement.replace("{restore}", RESTORE);
    }

    /**
     * Bounds a statement that is a transaction of its own, so that the setting ends with it. If the driver describes the
     * statements first, or uses the simple query mode, each statement is a transaction of its own. Then the application's
     * setting bounds the statement.
     */
    public static String ofOneTransaction(String statement) {
        return "select " + BOUND + ";\n" + statement;
    }

    /** Returns the bound for a statement that is sent now. */
    public static WaitBound remaining(Duration limit, long since) {
        long now = System.nanoTime();
        long milliseconds = limit.minusNanos(now - since).toMillis();
        return new WaitBound(Math.max(1, Math.min(milliseconds, LONGEST)), now);
    }

    /** Returns the time since the statement was sent. */
    public Duration elapsed() {
        return Duration.ofNanos(System.nanoTime() - start);
    }

    /**
     * Returns whether an error is the end of the wait. If a query is cancelled before the bound, the bound is not the reason.
     * If a lock is not available, the application's own lock_timeout was shorter, which ends the wait, too.
     *
     * @return whether the wait has ended
     */
    public boolean ended(SQLException failure) {
        if (QUERY_CANCELED.equals(failure.getSQLState())) {
            return elapsed().compareTo(Duration.ofMillis(milliseconds)) >= 0;
        }
        return LOCK_NOT_AVAILABLE.equals(failure.getSQLState());
    }
}
