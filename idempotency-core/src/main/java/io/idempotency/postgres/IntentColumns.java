package io.idempotency.postgres;

import java.sql.ResultSet;
import java.sql.SQLException;

import org.jspecify.annotations.Nullable;

import io.idempotency.IdempotencyException;
import io.idempotency.IdempotencyKey;
import io.idempotency.Intent;

/** Scope, caller and key of the call that published a message: three columns beside each other. */
final class IntentColumns {

    private IntentColumns() {}

    /** Nothing if it is malformed: what another JVM took for printable, or somebody wrote, must not hold messages up. */
    static @Nullable Intent read(ResultSet row, int first) throws SQLException {
        String scope = row.getString(first);
        if (scope == null) {
            return null;
        }
        try {
            return new Intent(scope, row.getString(first + 1), new IdempotencyKey(row.getString(first + 2)));
        } catch (IllegalArgumentException | IdempotencyException malformed) {
            return null;
        }
    }
}
