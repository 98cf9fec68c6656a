package io.idempotency.internal.postgres.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.support.JdbcUtils;

import io.idempotency.internal.transaction.RequiresNewTransaction;

/** Several statements that are sent in one message, with their parameters and their results. */
public final class MultiStatement implements AutoCloseable {

    /** Begins a line, because the statement before may end with a comment. */
    public static final String COMMIT = "\n;COMMIT";

    static final String BEGIN = RequiresNewTransaction.READ_COMMITTED + ";\n";

    private static final int NO_UPDATE_COUNT = -1;

    private final PreparedStatement statement;

    /** Whether the first statement is {@link #BEGIN}. Its result is skipped. */
    private final boolean begins;

    private MultiStatement(PreparedStatement statement, boolean begins) {
        this.statement = statement;
        this.begins = begins;
    }

    /** Returns statements that are a whole transaction of the library, in READ COMMITTED whatever the default is. */
    public static String transaction(String statements) {
        return beginning(statements) + COMMIT;
    }

    /**
     * Returns statements that begin such a transaction and leave it open. No {@code transaction_timeout} ends it.
     *
     * @param statements the first one sets the bound of the others
     */
    public static String beginning(String statements) {
        return BEGIN + TransactionLimits.withoutTransactionTimeout(statements);
    }

    /**
     * Prepares the statements without the connection's {@code defaultRowFetchSize}: a statement that has returned that many
     * rows is suspended and not finished, so its timeout would include the following statements of the round trip.
     *
     * @return the statements, not executed yet
     */
    public static MultiStatement prepare(Connection connection, String sql) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        try {
            statement.setFetchSize(0);
        } catch (SQLException | RuntimeException | Error failure) {
            JdbcUtils.closeStatement(statement);
            throw failure;
        }
        return new MultiStatement(statement, sql.startsWith(BEGIN));
    }

    /**
     * Executes statements, of which one updates rows.
     *
     * @param task what they are for, as an infinitive, for the message of a failure
     */
    public static boolean updateOne(Connection connection, String task, String sql, Binding binding) {
        try (MultiStatement statements = prepare(connection, sql)) {
            binding.bind(statements.parameters());
            return statements.update() == 1;
        } catch (SQLException failure) {
            throw SqlFailures.translate(task, sql, failure);
        }
    }

    /** Binds the parameters of all statements. */
    public StatementParameters parameters() {
        return new StatementParameters(statement);
    }

    /**
     * Executes all statements and makes the result of the first one the current result.
     *
     * @return whether that result has rows
     */
    public boolean execute() throws SQLException {
        boolean isResultSet = statement.execute();
        return begins ? statement.getMoreResults() : isResultSet;
    }

    /** Returns the rows of the first statement, which bounds the wait. */
    public ResultSet firstRows() throws SQLException {
        return statement.getResultSet();
    }

    /**
     * Moves to the next statement and returns its rows. The first call after {@link #execute()} returns the rows of the second
     * statement.
     */
    public ResultSet nextRows() throws SQLException {
        statement.getMoreResults();
        return statement.getResultSet();
    }

    /** Moves to the next statement and returns how many rows it has changed. */
    public int nextCount() throws SQLException {
        statement.getMoreResults();
        return statement.getUpdateCount();
    }

    /** Executes all statements and returns how many rows the first one has changed that changes rows. */
    public int update() throws SQLException {
        int updated = NO_UPDATE_COUNT;
        boolean isResultSet = execute();
        while (isResultSet || statement.getUpdateCount() >= 0) {
            if (!isResultSet && updated == NO_UPDATE_COUNT) {
                updated = statement.getUpdateCount();
            }
            isResultSet = statement.getMoreResults();
        }
        if (updated == NO_UPDATE_COUNT) {
            throw new IllegalStateException(
                    "The driver does not report how many rows a claim has inserted: remove"
                            + " prepareThreshold=-1 from the JDBC URL, which makes it report statements as if they were queries");
        }
        return updated;
    }

    /**
     * Executes all statements and returns the first column of the last row that one of them returns.
     *
     * @return the text; {@code null} if it is null or none of them returns a row
     */
    public @Nullable String lastText() throws SQLException {
        String text = null;
        boolean isResultSet = execute();
        while (isResultSet || statement.getUpdateCount() >= 0) {
            if (isResultSet) {
                ResultSet rows = statement.getResultSet();
                while (rows.next()) {
                    text = rows.getString(1);
                }
            }
            isResultSet = statement.getMoreResults();
        }
        return text;
    }

    @Override
    public void close() throws SQLException {
        statement.close();
    }

    /** Binds the parameters of statements. */
    @FunctionalInterface
    public interface Binding {

        /** Binds all of them, in their order. */
        void bind(StatementParameters parameters) throws SQLException;
    }
}
