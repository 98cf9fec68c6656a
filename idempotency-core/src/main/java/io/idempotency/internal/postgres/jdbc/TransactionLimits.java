package io.idempotency.internal.postgres.jdbc;

import java.sql.Connection;
import java.sql.SQLException;

import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The limits of the library's own transactions. They replace those that a role or a database sets for the application, which would end
 * work that is meant to wait or to take longer.
 */
public final class TransactionLimits {

    /** Ends the limit of a transaction that has begun. Before PostgreSQL 17 there is no such setting: {@code set_config} would fail. */
    private static final String NO_TRANSACTION_TIMEOUT = """
            case when current_setting('transaction_timeout', true) <> '0'
                then set_config('transaction_timeout', '0', {local}) end""";

    private static final String LIMITS = """
            select set_config('statement_timeout', {statement}, {local}),
                   set_config('idle_in_transaction_session_timeout', {idle}, {local}),
            """ + NO_TRANSACTION_TIMEOUT;

    /** A statement may wait for other instances as long as they work. The server ends one that is silently gone. */
    public static final String OF_MIGRATIONS = select("'0'", "'5min'");

    private static final String FIRST_SETTING = "select set_config(";

    private TransactionLimits() {}

    /**
     * Returns a SELECT that sets the limits for the rest of the transaction. More columns may follow.
     *
     * @param statement the longest time of a statement, as SQL
     * @param idle the longest time between two statements, as SQL
     */
    public static String select(String statement, String idle) {
        return select(statement, idle, "true");
    }

    /** Returns a SELECT that sets the limits for the rest of the session. */
    public static String selectForSession(String statement, String idle) {
        return select(statement, idle, "false");
    }

    private static String select(String statement, String idle, String local) {
        return LIMITS.replace("{statement}", statement).replace("{idle}", idle).replace("{local}", local);
    }

    /** Lets statements, of which the first sets a bound, take any time together. */
    static String withoutTransactionTimeout(String statements) {
        if (!statements.startsWith(FIRST_SETTING)) {
            throw new IllegalArgumentException("The first statement sets no bound: " + statements);
        }
        return "select " + NO_TRANSACTION_TIMEOUT.replace("{local}", "true") + ", "
                + statements.substring("select ".length());
    }

    /** Begins a transaction with {@link Clients#READ_COMMITTED} and other settings, in one message. */
    public static JdbcClient begin(Connection connection, String settings) {
        return clientWith(connection, MultiStatement.BEGIN + settings);
    }

    static JdbcClient clientWith(Connection connection, String settings) {
        try (MultiStatement statements = MultiStatement.prepare(connection, settings)) {
            statements.execute();
        } catch (SQLException failure) {
            throw SqlFailures.translate("begin a transaction", settings, failure);
        }
        return Clients.on(connection);
    }
}
