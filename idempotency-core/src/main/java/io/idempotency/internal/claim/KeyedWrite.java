package io.idempotency.internal.claim;

import java.util.List;
import java.util.function.LongFunction;

import org.jspecify.annotations.Nullable;

/**
 * The statements of a write, and where its response comes from.
 *
 * @param statements the statements, in the order of their execution
 * @param returnsRow whether the response is the row of the last statement
 * @param response the response if it is known before; {@code null} if it is a row, or there is none
 */
public record KeyedWrite(
        List<Statement> statements,
        boolean returnsRow,
        @Nullable Object response) {

    /** Copies the statements. */
    public KeyedWrite {
        statements = List.copyOf(statements);
    }

    /**
     * Returns whether the row of a statement is the response.
     *
     * @param index the index of the statement
     * @return {@code true} for the last one, if the response is a row
     */
    public boolean isResponse(int index) {
        return returnsRow && index == statements.size() - 1;
    }

    /**
     * One statement.
     *
     * @param sql the statement, with a question mark for each value
     * @param values the values of its parameters
     * @param changesRows whether it is an INSERT, UPDATE, DELETE or MERGE
     * @param expected the number of rows that it must change; {@code null} for any
     */
    public record Statement(
            String sql,
            List<? extends @Nullable Object> values,
            boolean changesRows,
            @Nullable ExpectedRows expected) {

        /**
         * Sets the number of rows that the statement must change.
         *
         * @param rows the number
         * @return the changed statement
         */
        public Statement expecting(ExpectedRows rows) {
            return new Statement(sql, values, changesRows, rows);
        }
    }

    /**
     * The number of rows that a statement must change.
     *
     * @param rows the number
     * @param failure creates the exception that the caller gets otherwise, from the number that was changed
     */
    public record ExpectedRows(long rows, LongFunction<? extends RuntimeException> failure) {}
}
