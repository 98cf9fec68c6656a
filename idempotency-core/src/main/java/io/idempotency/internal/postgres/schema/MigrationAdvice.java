package io.idempotency.internal.postgres.schema;

import java.sql.SQLException;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.idempotency.internal.transaction.SqlStates;

/** The advice for a migration that has failed: another role helps only if a privilege was missing. */
public final class MigrationAdvice {

    private static final String INSUFFICIENT_PRIVILEGE = "42501";

    /** idle_in_transaction_session_timeout, transaction_timeout, idle_session_timeout */
    private static final Set<String> SESSION_TIMEOUTS = Set.of("25P03", "25P04", "57P05");

    private MigrationAdvice() {}

    /**
     * Returns what to do.
     *
     * @param role advice for a missing privilege, without an end
     */
    public static String after(Throwable failure, String role) {
        SQLException refused = sqlExceptionOf(failure);
        String state = SqlStates.of(failure);
        if (refused == null || INSUFFICIENT_PRIVILEGE.equals(state)) {
            return role + ", or set";
        }
        if (state == null) {
            return "It does not come from PostgreSQL. If something between, such as a filter of the pool (Druid's WallFilter),"
                    + " refuses statements, let these pass, or name a role with idempotency.migration.user, whose connection"
                    + " does not come from the pool. Or set";
        }
        if (SqlStates.isWaitEnded(state) || SESSION_TIMEOUTS.contains(state)) {
            return "Another session may hold a lock, or a timeout of the role or the database is too short. End that session,"
                    + " or raise the timeout for the role that migrates, and start again. Or set";
        }
        return "Correct that, and start again. Or set";
    }

    private static @Nullable SQLException sqlExceptionOf(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException refused) {
                return refused;
            }
        }
        return null;
    }
}
