package io.idempotency.internal.postgres;

import java.time.OffsetDateTime;

import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * What one statement of the purge has deleted.
 *
 * @param rows how many
 * @param last when the youngest of them expired; nothing if there were none
 */
record ExpiredBatch(int rows, @Nullable OffsetDateTime last) {

    /** By a statement that takes the time from which on and the largest number of rows, and tells both in one row. */
    static ExpiredBatch delete(JdbcClient jdbcClient, String sql, OffsetDateTime from, int limit) {
        return jdbcClient
                .sql(sql)
                .params(from, limit)
                .query((row, number) ->
                        new ExpiredBatch(row.getInt("batch_rows"), row.getObject("last_expired", OffsetDateTime.class)))
                .single();
    }
}
