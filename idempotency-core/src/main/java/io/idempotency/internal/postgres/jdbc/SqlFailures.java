package io.idempotency.internal.postgres.jdbc;

import java.sql.SQLException;

import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.support.SQLExceptionSubclassTranslator;
import org.springframework.jdbc.support.SQLExceptionTranslator;

/**
 * The translation of PostgreSQL's errors into Spring's exceptions. The cause keeps the SQLSTATE, but not the details, which
 * quote rows and parameters: keys, payloads and responses must not be logged.
 */
public final class SqlFailures {

    private static final SQLExceptionTranslator TRANSLATOR = new SQLExceptionSubclassTranslator();

    private SqlFailures() {}

    /** Translates an error. */
    public static DataAccessException translate(String task, @Nullable String sql, SQLException failure) {
        SQLException safe = withoutValues(failure);
        DataAccessException translated = TRANSLATOR.translate(task, sql, safe);
        return translated != null ? translated : new UncategorizedSQLException(task, sql, safe);
    }

    /** Removes everything but the first line of the server's message. */
    public static SQLException withoutValues(SQLException failure) {
        if (!(failure instanceof PSQLException serverFailure) || serverFailure.getServerErrorMessage() == null) {
            return failure;
        }
        PSQLException safe = new PSQLException(serverFailure.getServerErrorMessage(), false);
        safe.setStackTrace(failure.getStackTrace());
        return safe;
    }

    /**
     * Returns the reason of a failure, to be put into a sentence.
     *
     * @return the first line of its most specific cause, without a full stop; after the message of the driver, if that has another
     *     cause and does not name it
     */
    public static String reason(Throwable failure) {
        Throwable root = NestedExceptionUtils.getMostSpecificCause(failure);
        String driver = null;
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException && cause.getMessage() != null) {
                driver = firstLine(cause.getMessage());
            }
        }
        String rootMessage = root.getMessage() == null ? root.toString() : firstLine(root.getMessage());
        return driver == null || root instanceof SQLException || driver.contains(rootMessage)
                ? rootMessage
                : driver + " (" + root.getClass().getSimpleName() + ": " + rootMessage + ")";
    }

    private static String firstLine(String message) {
        return message.lines().findFirst().orElse("").replaceFirst("[.:]$", "");
    }
}
