package io.idempotency.internal.transaction;

import java.net.SocketTimeoutException;
import java.sql.SQLException;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.springframework.core.NestedExceptionUtils;

/**
 * Classifies failures by their SQLSTATE and severity, never by the text of a message.
 *
 * @see <a href="https://www.postgresql.org/docs/current/errcodes-appendix.html">PostgreSQL Error Codes</a>
 */
public final class SqlStates {

    private static final String CONNECTION_EXCEPTION = "08";

    /** admin_shutdown, crash_shutdown, cannot_connect_now */
    private static final Set<String> SERVER_DOWN = Set.of("57P01", "57P02", "57P03");

    private static final String SERIALIZATION_FAILURE = "40001";

    private static final String DEADLOCK_DETECTED = "40P01";

    private static final String READ_ONLY_SQL_TRANSACTION = "25006";

    /** query_canceled, lock_not_available */
    private static final Set<String> WAIT_ENDED = Set.of("57014", "55P03");

    /** idle_in_transaction_session_timeout, transaction_timeout, idle_session_timeout; and protocol_violation: any limit of PgBouncer */
    private static final Set<String> SESSION_LIMITS = Set.of("25P03", "25P04", "57P05", "08P01");

    /** invalid_argument_for_width_bucket_function, by which a statement fails that has changed another number of rows than it must */
    private static final String NOT_AS_REQUIRED = "2201G";

    private static final Set<String> SESSION_ENDED = Set.of("FATAL", "PANIC");

    private static final int DEEPEST_CAUSE = 50;

    private SqlStates() {}

    /** Returns the first SQLSTATE in a chain of causes; {@code null} if there is none. */
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

    /** Returns whether the connection was lost, so that the server's answer is unknown. */
    public static boolean isConnectionLost(@Nullable String sqlState) {
        return sqlState != null && (sqlState.startsWith(CONNECTION_EXCEPTION) || SERVER_DOWN.contains(sqlState));
    }

    /**
     * Returns whether the server has answered with an error, so that nothing is in doubt. After an error that ends its session or the
     * whole server, what it had begun may be durable.
     */
    public static boolean isAnswer(Throwable failure) {
        String sqlState = of(failure);
        return sqlState != null && !isConnectionLost(sqlState) && !endsSession(failure);
    }

    /** Returns whether the server has ended the session with its error. */
    public static boolean endsSession(Throwable failure) {
        Throwable cause = failure;
        for (int depth = 0; cause != null && depth < DEEPEST_CAUSE; depth++) {
            if (cause instanceof PSQLException serverFailure
                    && serverFailure.getServerErrorMessage() != null
                    && SESSION_ENDED.contains(
                            String.valueOf(serverFailure.getServerErrorMessage().getSeverity()))) {
                return true;
            }
            cause = cause.getCause();
        }
        return false;
    }

    public static boolean isSerializationFailure(@Nullable String sqlState) {
        return SERIALIZATION_FAILURE.equals(sqlState);
    }

    public static boolean isDeadlock(@Nullable String sqlState) {
        return DEADLOCK_DETECTED.equals(sqlState);
    }

    /** Returns whether a statement was cancelled, or could not get a lock, perhaps because it has waited for too long. */
    public static boolean isWaitEnded(@Nullable String sqlState) {
        return sqlState != null && WAIT_ENDED.contains(sqlState);
    }

    /** Returns whether a limit of the server, of a pooler or of the driver has ended a statement or its session. */
    public static boolean isLimit(Throwable failure) {
        String sqlState = of(failure);
        return isWaitEnded(sqlState)
                || (sqlState != null && SESSION_LIMITS.contains(sqlState))
                || NestedExceptionUtils.getMostSpecificCause(failure) instanceof SocketTimeoutException;
    }

    /** Returns whether a statement has failed because it has changed another number of rows than it must. */
    public static boolean isNotAsRequired(@Nullable String sqlState) {
        return NOT_AS_REQUIRED.equals(sqlState);
    }

    public static boolean isReadOnly(@Nullable String sqlState) {
        return READ_ONLY_SQL_TRANSACTION.equals(sqlState);
    }
}
