package io.idempotency.internal.postgres;

import java.sql.SQLException;
import java.time.Duration;

/**
 * How long one claim statement may wait, and whether an error is the end of that wait.
 *
 * @param milliseconds for {@code statement_timeout}, at least 1 because 0 would mean no bound at all
 * @param start when the statement was sent, in terms of {@link System#nanoTime()}
 */
record WaitBound(long milliseconds, long start) {

    /** See <a href="https://www.postgresql.org/docs/current/errcodes-appendix.html">PostgreSQL Error Codes</a>. */
    private static final String QUERY_CANCELED = "57014";

    private static final String LOCK_NOT_AVAILABLE = "55P03";

    static final String ISOLATION = "transaction_isolation";

    /** For what is done while a caller waits for an exception. */
    static final String BRIEFLY = """
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
     * One round trip: the wait bound as the first parameter, the {@link ClaimMark}, the statements, and the application's own setting restored. A
     * lock_timeout would bound each lock wait and not their sum. The bound needs no restoring if it strikes, because the
     * transaction is aborted then and its settings with it.
     */
    static String around(String statements) {
        return SET_AND_MARK + ";\n" + statements + ";\nselect " + RESTORE;
    }

    /**
     * The same, and a setting that says {@code yes} to triggers meanwhile. The rows of the first statement tell the isolation
     * of the transaction as {@value #ISOLATION}.
     *
     * @param mark the setting's name
     */
    static String around(String mark, String statements) {
        return SET + ", set_config('" + mark + "', 'yes', true), current_setting('" + ISOLATION + "') as " + ISOLATION
                + ";\n" + statements + ";\nselect " + RESTORE + ", set_config('" + mark + "', 'no', true)";
    }

    /**
     * The same for a statement that restores the setting by itself, in the place of {@code {restore}}, which saves a
     * statement: how long a statement may take is fixed when it starts. It has to be a place that is always evaluated.
     */
    static String restoredWithin(String statement) {
        return SET_AND_MARK + ";\n" + statement.replace("{restore}", RESTORE);
    }

    /**
     * The same for a statement that is a transaction of its own, with which the setting ends. If the driver asks for a description
     * of the statements first, or in its simple mode, it sends each of them as a transaction of its own, and the application's
     * setting bounds the statement.
     */
    static String ofOneTransaction(String statement) {
        return SET + ";\n" + statement;
    }

    static WaitBound remaining(Duration limit, long since) {
        long now = System.nanoTime();
        long milliseconds = limit.minusNanos(now - since).toMillis();
        return new WaitBound(Math.max(1, Math.min(milliseconds, LONGEST)), now);
    }

    /** Since the statement was sent. */
    Duration elapsed() {
        return Duration.ofNanos(System.nanoTime() - start);
    }

    /**
     * A cancelled query before the bound is somebody else's cancel. A lock that is not available is the end of the wait
     * too: the application's own lock_timeout is shorter than our bound.
     */
    boolean ended(SQLException failure) {
        if (QUERY_CANCELED.equals(failure.getSQLState())) {
            return elapsed().compareTo(Duration.ofMillis(milliseconds)) >= 0;
        }
        return LOCK_NOT_AVAILABLE.equals(failure.getSQLState());
    }
}
