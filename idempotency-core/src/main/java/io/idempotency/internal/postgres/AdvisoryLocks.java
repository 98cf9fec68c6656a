package io.idempotency.internal.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;

import io.idempotency.internal.lock.LockStore;

/**
 * Locks that end with their transaction, and so survive a pooler that gives the connection to another one. They are in the key
 * space of 64 bits; the purge and the relay lock in that of two times 32.
 */
final class AdvisoryLocks implements LockStore {

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
            PreparedStatement statement = statements.statement();
            statement.setLong(1, bound.milliseconds());
            statement.setLong(2, id);
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
