package io.idempotency.internal.postgres;

import java.sql.SQLException;

import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.support.SQLExceptionSubclassTranslator;
import org.springframework.jdbc.support.SQLExceptionTranslator;

/**
 * Spring's exceptions for PostgreSQL's errors, with the SQLSTATE kept in the cause, and without the details, which quote rows
 * and parameters: keys, payloads and responses belong into no log.
 */
final class SqlFailures {

    private static final SQLExceptionTranslator TRANSLATOR = new SQLExceptionSubclassTranslator();

    private SqlFailures() {}

    static DataAccessException translate(String task, @Nullable String sql, SQLException failure) {
        SQLException safe = withoutValues(failure);
        DataAccessException translated = TRANSLATOR.translate(task, sql, safe);
        return translated != null ? translated : new UncategorizedSQLException(task, sql, safe);
    }

    /** Returns the failure with the first line only of what the server says. */
    static SQLException withoutValues(SQLException failure) {
        if (!(failure instanceof PSQLException ofServer) || ofServer.getServerErrorMessage() == null) {
            return failure;
        }
        PSQLException safe = new PSQLException(ofServer.getServerErrorMessage(), false);
        safe.setStackTrace(failure.getStackTrace());
        return safe;
    }
}
