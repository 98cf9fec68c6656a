package io.idempotency.internal.claim;

import java.sql.Connection;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;

/** Executes the statements of a write, together with its key or in a transaction that has claimed it. */
public interface WriteStore {

    /**
     * Checks a statement of a write.
     *
     * @throws IllegalArgumentException if it cannot be a statement of a write, or a parameter has no value
     */
    KeyedWrite.Statement statement(String sql, Map<String, ? extends @Nullable Object> parameters);

    /**
     * Inserts the finished row of a key, executes the statements and commits, in one round trip.
     *
     * @param connection a connection without auto-commit and without an open transaction
     * @param completion the response, unless that is a row
     * @param maxRowBytes size of the largest row that may be the response, as JSON in UTF-8
     * @return the row as JSON text; {@code null} if the response is none
     * @throws DataAccessException if the key has a row, a statement fails or changes another number of rows than it must, or the
     *     row is too large; nothing is committed then, unless the connection was lost
     */
    @Nullable String writeAndCommit(
            Connection connection, ClaimRequest request, Completion completion, KeyedWrite write, long maxRowBytes);

    /**
     * Executes the statements one by one, in a transaction that has claimed the key.
     *
     * @param timeoutSeconds the longest time of each statement; 0 for no limit
     * @return the row as JSON text; {@code null} if the response is none
     * @throws RuntimeException the exception of a statement that changes another number of rows than it must
     */
    @Nullable String write(Connection connection, KeyedWrite write, int timeoutSeconds);
}
