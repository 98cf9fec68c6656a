package io.idempotency.internal.postgres.request;

import java.sql.PreparedStatement;
import java.sql.SQLException;

import org.springframework.jdbc.support.JdbcUtils;

import io.idempotency.internal.claim.CompletingCommit;
import io.idempotency.internal.postgres.jdbc.SqlFailures;

/** A prepared completion with its COMMIT, ready to be sent in one message. */
final class PreparedCompletingCommit implements CompletingCommit {

    /** The error of {@code width_bucket}, which the statement raises if it has completed no row. */
    private static final String NOTHING_TO_COMPLETE = "2201G";

    private final PreparedStatement statement;

    PreparedCompletingCommit(PreparedStatement statement) {
        this.statement = statement;
    }

    @Override
    public boolean send() throws SQLException {
        try {
            statement.execute();
            return true;
        } catch (SQLException failure) {
            if (NOTHING_TO_COMPLETE.equals(failure.getSQLState())) {
                return false;
            }
            throw SqlFailures.withoutValues(failure);
        }
    }

    @Override
    public void close() {
        JdbcUtils.closeStatement(statement);
    }
}
