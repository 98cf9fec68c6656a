package io.idempotency.internal.postgres.schema;

import java.sql.SQLException;

import org.jspecify.annotations.Nullable;

import io.idempotency.internal.transaction.SqlStates;

/** The advice for a migration that has failed: another role helps only if a privilege was missing. */
public final class MigrationAdvice {

    private static final String INSUFFICIENT_PRIVILEGE = "42501";

    /** The limits of the server are set aside, except lock_timeout. */
    private static final String OUT_OF_TIME =
            "A limit has ended it, no right is missing. Start again when no long transaction uses the tables; raise the"
                    + " limit (lock_timeout of the role that migrates, socketTimeout in its JDBC URL, query_timeout or"
                    + " idle_transaction_timeout of a pooler); or set";

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
        if (SqlStates.isLimit(failure)) {
            return OUT_OF_TIME;
        }
        if (state == null) {
            return "It does not come from PostgreSQL. If something between, such as a filter of the pool (Druid's WallFilter),"
                    + " refuses statements, let these pass, or name a role with idempotency.migration.user, whose connection"
                    + " does not come from the pool. Or set";
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
