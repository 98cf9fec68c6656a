package io.idempotency.internal.postgres.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;

import org.jspecify.annotations.Nullable;

/** The reader of columns of the type timestamptz. */
public final class TimeColumns {

    private TimeColumns() {}

    /** Reads a time. */
    public static Instant read(ResultSet row, String column) throws SQLException {
        return row.getObject(column, OffsetDateTime.class).toInstant();
    }

    /** Reads a time that may be missing. */
    public static @Nullable Instant readOrNull(ResultSet row, String column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }
}
