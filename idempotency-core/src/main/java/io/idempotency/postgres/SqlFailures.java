package io.idempotency.postgres;

import java.sql.SQLException;

import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.support.SQLExceptionSubclassTranslator;
import org.springframework.jdbc.support.SQLExceptionTranslator;

/** Spring's exceptions for PostgreSQL's errors, with the SQLSTATE kept in the cause. */
final class SqlFailures {

    private static final SQLExceptionTranslator TRANSLATOR = new SQLExceptionSubclassTranslator();

    private SqlFailures() {}

    static DataAccessException translate(String task, @Nullable String sql, SQLException failure) {
        DataAccessException translated = TRANSLATOR.translate(task, sql, failure);
        return translated != null ? translated : new UncategorizedSQLException(task, sql, failure);
    }
}
