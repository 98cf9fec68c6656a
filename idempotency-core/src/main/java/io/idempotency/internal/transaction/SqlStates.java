package io.idempotency.internal.transaction;

import java.sql.SQLException;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * What SQLSTATEs say about a failure; the text of a message says nothing.
 *
 * @see <a href="https://www.postgresql.org/docs/current/errcodes-appendix.html">PostgreSQL Error Codes</a>
 */
public final class SqlStates {

    private static final String CONNECTION_EXCEPTION = "08";

    /** admin_shutdown, crash_shutdown, cannot_connect_now */
    private static final Set<String> SERVER_WENT_AWAY = Set.of("57P01", "57P02", "57P03");

    private static final String SERIALIZATION_FAILURE = "40001";

    private static final String DEADLOCK_DETECTED = "40P01";

    private static final String READ_ONLY_SQL_TRANSACTION = "25006";

    private static final Set<String> ROLLED_BACK_IN_FAVOUR_OF_OTHERS = Set.of(SERIALIZATION_FAILURE, DEADLOCK_DETECTED);

    private static final int DEEPEST_CAUSE = 50;

    private SqlStates() {}

    /** The SQLSTATE of the first SQL exception in a chain of causes that has one. */
    public static @Nullable String of(Throwable failure) {
        Throwable cause = failure;
        for (int depth = 0; cause != null && depth < DEEPEST_CAUSE; depth++) {
            if (cause instanceof SQLException sqlException && sqlException.getSQLState() != null) {
                return sqlException.getSQLState();
            }
            cause = cause.getCause();
        }
        return null;
    }

    /** Whether the connection was lost, so that the server's answer is not known. */
    public static boolean isConnectionLost(@Nullable String sqlState) {
        return sqlState != null && (sqlState.startsWith(CONNECTION_EXCEPTION) || SERVER_WENT_AWAY.contains(sqlState));
    }

    /** Whether the server said what is wrong, so that there is no doubt about what it did. */
    public static boolean isAnswer(@Nullable String sqlState) {
        return sqlState != null && !isConnectionLost(sqlState);
    }

    public static boolean isSerializationFailure(@Nullable String sqlState) {
        return SERIALIZATION_FAILURE.equals(sqlState);
    }

    public static boolean isReadOnly(@Nullable String sqlState) {
        return READ_ONLY_SQL_TRANSACTION.equals(sqlState);
    }

    /** Whether the same work may succeed if it is done once more. */
    public static boolean isTransient(@Nullable String sqlState) {
        return sqlState != null && (ROLLED_BACK_IN_FAVOUR_OF_OTHERS.contains(sqlState) || isConnectionLost(sqlState));
    }
}
