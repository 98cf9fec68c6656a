package io.idempotency.internal.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

import org.springframework.jdbc.support.JdbcUtils;

/** Several statements that are sent together and answered together, with their parameters. */
final class MultiStatement implements AutoCloseable {

    private static final int NO_UPDATE_COUNT = -1;

    private final PreparedStatement statement;

    private MultiStatement(PreparedStatement statement) {
        this.statement = statement;
    }

    /**
     * Prepares the statements whatever the connection's {@code defaultRowFetchSize}: a statement that has given as many rows is
     * suspended and not over, and the timeout that was fixed when it started goes on for those that follow in the same round trip.
     */
    static MultiStatement prepare(Connection connection, String sql) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        try {
            statement.setFetchSize(0);
        } catch (SQLException | RuntimeException | Error failure) {
            JdbcUtils.closeStatement(statement);
            throw failure;
        }
        return new MultiStatement(statement);
    }

    /** To set the parameters. */
    PreparedStatement statement() {
        return statement;
    }

    /** Executes all of them; the result of the first one is the current one then. */
    boolean execute() throws SQLException {
        return statement.execute();
    }

    /** The rows of the first statement, which bounds the wait. */
    ResultSet firstRows() throws SQLException {
        return statement.getResultSet();
    }

    /** The rows of the next statement, after {@link #execute()} those of the second one. */
    ResultSet nextRows() throws SQLException {
        statement.getMoreResults();
        return statement.getResultSet();
    }

    /** Executes, and finds the one update count among the results. */
    int update() throws SQLException {
        int updated = NO_UPDATE_COUNT;
        boolean isResultSet = execute();
        while (isResultSet || statement.getUpdateCount() >= 0) {
            if (!isResultSet) {
                updated = statement.getUpdateCount();
            }
            isResultSet = statement.getMoreResults();
        }
        if (updated == NO_UPDATE_COUNT) {
            throw new IllegalStateException(
                    "The driver does not tell how many rows a claim has inserted: remove"
                            + " prepareThreshold=-1 from the JDBC URL, which makes it report statements as if they were queries");
        }
        return updated;
    }

    @Override
    public void close() throws SQLException {
        statement.close();
    }
}
