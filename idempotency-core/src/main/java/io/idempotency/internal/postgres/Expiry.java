package io.idempotency.internal.postgres;

import java.time.OffsetDateTime;

import org.springframework.jdbc.core.simple.JdbcClient;

/** What goes after its time, a batch after the other: the rows of a table, or what some of them hold. */
interface Expiry {

    /** As events and metrics show it. */
    String name();

    /** Deletes so many at most, the oldest first, from that time on. */
    ExpiredBatch deleteExpired(JdbcClient jdbcClient, OffsetDateTime from, int limit);
}
