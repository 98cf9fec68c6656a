package io.idempotency.internal.postgres.jdbc;

import java.sql.SQLException;
import java.time.Duration;

/**
 * The bound of the wait of one statement, and the test whether an error is the end of that wait.
 *
 * @param milliseconds for {@code statement_timeout}, at least 1 because 0 would mean no bound at all
 * @param start when the statement was sent, in terms of {@link System#nanoTime()}
 */
public record WaitBound(long milliseconds, long start) {

    /** See <a href="https://www.postgresql.org/docs/current/errcodes-appendix.html">PostgreSQL Error Codes</a>. */
    private static final String QUERY_CANCELED = "57014";

    private static final String LOCK_NOT_AVAILABLE = "55P03";

    /** The column of the first result of {@link #around(String, String)} that tells the isolation of the transaction. */
    public static final String ISOLATION = "transaction_isolation";

    /** Bounds statements that are executed while a caller waits for an exception. */
    public static final String BRIEFLY = """
            select set_config('statement_timeout', '2000', true);
            """;

    /**
     * The wait bound as the first parameter. As a number, because with {@code stringtype=unspecified} the driver asks for the
     * type of a text, and then sends what follows in a round trip of its own.
     */
    private static final String SET = """
            select set_config('idempotency.prev', current_setting('statement_timeout'), true),
                   set_config('statement_timeout', cast(cast(? as bigint) as text), true)""";

    private static final String SET_AND_MARK = SET + ", " + ClaimMark.SET;

    private static final String RESTORE = "set_config('statement_timeout', current_setting('idempotency.prev'), true)";

    /** The largest value of {@code statement_timeout}, about 25 days. */
    private static final int LONGEST = Integer.MAX_VALUE;

    /**
     * Bounds statements in their own round trip: sets the bound, which is the first parameter, and the {@link ClaimMark}, and
     * restores the application's own setting at the end. A lock_timeout would bound each lock wait and not their sum. A bound
     * that was exceeded needs no restoring, because it aborts the transaction and its settings with it.
     *
     * @param statements what to bound
     * @return the statements with the bound
     */
    public static String around(String statements) {
        return SET_AND_MARK + ";\n" + statements + ";\nselect " + RESTORE;
    }

    /**
     * Bounds statements in the same way, without the {@link ClaimMark}. A setting says {@code yes} to triggers meanwhile. The
     * rows of the first statement tell the isolation of the transaction as {@value #ISOLATION}.
     *
     * @param mark the setting's name
     * @param statements what to bound
     * @return the statements with the bound
     */
    public static String around(String mark, String statements) {
        return SET + ", set_config('" + mark + "', 'yes', true), current_setting('" + ISOLATION + "') as " + ISOLATION
                + ";\n" + statements + ";\nselect " + RESTORE + ", set_config('" + mark + "', 'no', true)";
    }

    /**
     * Bounds a statement that restores the setting by itself, which saves a statement: PostgreSQL fixes the timeout of a
     * statement when the statement starts.
     *
     * @param statement names the place as {@code {restore}}; that place must always be evaluated
     * @return the statement with the bound
     */
    public static String restoredWithin(String statement) {
        return SET_AND_MARK + ";\n" + statement.replace("{restore}", RESTORE);
    }

    /**
     * Bounds a statement that is a transaction of its own, with which the setting ends. If the driver asks for a description
     * of the statements first, or is in its simple mode, it sends each of them as a transaction of its own. The application's
     * setting bounds the statement then.
     *
     * @param statement what to bound
     * @return the statement with the bound
     */
    public static String ofOneTransaction(String statement) {
        return SET + ";\n" + statement;
    }

    /**
     * Returns the bound for a statement that is sent now.
     *
     * @param limit how long to wait in all
     * @param since when the wait began, in terms of {@link System#nanoTime()}
     * @return the rest of the limit
     */
    public static WaitBound remaining(Duration limit, long since) {
        long now = System.nanoTime();
        long milliseconds = limit.minusNanos(now - since).toMillis();
        return new WaitBound(Math.max(1, Math.min(milliseconds, LONGEST)), now);
    }

    /**
     * Returns the time since the statement was sent.
     *
     * @return the elapsed time
     */
    public Duration elapsed() {
        return Duration.ofNanos(System.nanoTime() - start);
    }

    /**
     * Tells whether an error is the end of the wait. A query that was cancelled before the bound was cancelled by somebody
     * else. A lock that is not available is the end of the wait too: the application's own lock_timeout is shorter then.
     *
     * @param failure of the statement
     * @return whether the wait has ended
     */
    public boolean ended(SQLException failure) {
        if (QUERY_CANCELED.equals(failure.getSQLState())) {
            return elapsed().compareTo(Duration.ofMillis(milliseconds)) >= 0;
        }
        return LOCK_NOT_AVAILABLE.equals(failure.getSQLState());
    }
}
