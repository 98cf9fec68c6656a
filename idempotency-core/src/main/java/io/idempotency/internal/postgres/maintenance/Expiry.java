package io.idempotency.internal.postgres.maintenance;

import java.time.OffsetDateTime;

import org.springframework.jdbc.core.simple.JdbcClient;

/** The expiry of the rows or of a column of a table, in batches. */
interface Expiry {

    /** Returns the name in events and metrics. */
    String name();

    /** Deletes a batch of what has expired since that time, the oldest first. */
    ExpiredBatch deleteExpired(JdbcClient jdbcClient, OffsetDateTime from, int limit);
}
