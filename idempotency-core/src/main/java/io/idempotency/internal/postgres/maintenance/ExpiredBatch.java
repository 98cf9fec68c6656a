package io.idempotency.internal.postgres.maintenance;

import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The result of one statement of the purge.
 *
 * @param rows the number of rows that were deleted or cleared
 * @param last the latest expiry of these rows; {@code null} if there are none
 * @param halfDone scope and request id of each call that was deleted before anybody has finished it
 */
record ExpiredBatch(int rows, @Nullable OffsetDateTime last, List<String> halfDone) {

    /** Executes a statement with two parameters: the earliest expiry, and the largest number of rows. */
    static ExpiredBatch execute(JdbcClient jdbcClient, String sql, OffsetDateTime from, int limit) {
        return jdbcClient
                .sql(sql)
                .params(from, limit)
                .query((row, number) -> new ExpiredBatch(
                        row.getInt("batch_rows"), row.getObject("last_expired", OffsetDateTime.class), halfDone(row)))
                .single();
    }

    private static List<String> halfDone(ResultSet row) throws SQLException {
        Array found = row.getArray("half_done");
        return found == null ? List.of() : List.of((String[]) found.getArray());
    }
}
