package io.idempotency.internal.postgres.schema;

import java.time.Duration;

import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The partitions of a table, as far as purge and statistics ask for them. The database determines whether they exist, and not the
 * configuration, because another instance or an operator may have created them.
 */
public interface TablePartitions {

    /** Returns the name of the table without the schema. */
    String table();

    /**
     * Returns whether the table is partitioned. Does not need the tables of the feature that partitions it.
     *
     * @return whether the other methods may be called
     */
    boolean exist(JdbcClient jdbcClient);

    /**
     * Returns the time since the earliest expiry of a partition.
     *
     * @return the time; zero if no partition has expired
     */
    Duration findOldestExpired(JdbcClient jdbcClient);
}
