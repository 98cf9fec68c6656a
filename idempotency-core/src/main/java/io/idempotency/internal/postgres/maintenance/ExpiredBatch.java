package io.idempotency.internal.postgres.maintenance;

import java.time.OffsetDateTime;

import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The result of one statement of the purge.
 *
 * @param rows how many rows were deleted or cleared
 * @param last when the youngest of them expired; {@code null} if there were none
 */
record ExpiredBatch(int rows, @Nullable OffsetDateTime last) {

    /** Executes a statement with two parameters: the time to begin with, and the largest number of rows. */
    static ExpiredBatch delete(JdbcClient jdbcClient, String sql, OffsetDateTime from, int limit) {
        return jdbcClient
                .sql(sql)
                .params(from, limit)
                .query((row, number) ->
                        new ExpiredBatch(row.getInt("batch_rows"), row.getObject("last_expired", OffsetDateTime.class)))
                .single();
    }
}
