package io.idempotency.internal.postgres.maintenance;

import java.time.OffsetDateTime;

import org.springframework.jdbc.core.simple.JdbcClient;

/** The rows of a table, or a column of them, that are deleted in batches when they have expired. */
interface Expiry {

    /** Returns the name in events and metrics. */
    String name();

    /** Deletes some of what has expired since that time, the oldest first. */
    ExpiredBatch deleteExpired(JdbcClient jdbcClient, OffsetDateTime from, int limit);
}
