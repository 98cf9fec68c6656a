package io.idempotency.internal.postgres.maintenance;

import java.time.OffsetDateTime;

import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The result of one statement of the purge.
 *
 * @param rows the number of rows that were deleted or cleared
 * @param last the latest expiry of these rows; {@code null} if there are none
 */
record ExpiredBatch(int rows, @Nullable OffsetDateTime last) {

    /** Executes a statement with two parameters: the earliest expiry, and the largest number of rows. */
    static ExpiredBatch execute(JdbcClient jdbcClient, String sql, OffsetDateTime from, int limit) {
        return jdbcClient
                .sql(sql)
                .params(from, limit)
                .query((row, number) ->
                        new ExpiredBatch(row.getInt("batch_rows"), row.getObject("last_expired", OffsetDateTime.class)))
                .single();
    }
}
