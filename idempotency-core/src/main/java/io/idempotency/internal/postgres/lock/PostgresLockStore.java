package io.idempotency.internal.postgres.lock;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;

import io.idempotency.internal.lock.LockStore;
import io.idempotency.internal.postgres.jdbc.MultiStatement;
import io.idempotency.internal.postgres.jdbc.SqlFailures;
import io.idempotency.internal.postgres.jdbc.StatementParameters;
import io.idempotency.internal.postgres.jdbc.WaitBound;

/**
 * A store of advisory locks that end with their transaction, so that a pooler may give the connection to another client
 * afterwards. Their keys have 64 bits. The purge and the relay use pairs of 32 bits.
 */
public final class PostgresLockStore implements LockStore {

    private static final String TRY_TAKE = "select pg_try_advisory_xact_lock(?)";

    private static final String TAKE = WaitBound.around("select pg_advisory_xact_lock(?)");

    @Override
    public boolean tryTake(Connection connection, long id) {
        try (PreparedStatement statement = connection.prepareStatement(TRY_TAKE)) {
            statement.setLong(1, id);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() && row.getBoolean(1);
            }
        } catch (SQLException failure) {
            throw SqlFailures.translate("try to take a lock", TRY_TAKE, failure);
        }
    }

    @Override
    public Optional<SQLException> take(Connection connection, long id, Duration waitLimit) {
        WaitBound bound = WaitBound.remaining(waitLimit, System.nanoTime());
        try (MultiStatement statements = MultiStatement.prepare(connection, TAKE)) {
            StatementParameters parameters = statements.parameters();
            parameters.bound(bound);
            parameters.bigint(id);
            statements.execute();
            return Optional.empty();
        } catch (SQLException failure) {
            if (bound.ended(failure)) {
                return Optional.of(failure);
            }
            throw SqlFailures.translate("take a lock", TAKE, failure);
        }
    }
}
