package io.idempotency.internal.postgres.partition;

import java.time.Duration;
import java.util.List;

import org.springframework.dao.DataAccessException;
import org.springframework.dao.InvalidDataAccessResourceUsageException;
import org.springframework.jdbc.core.simple.JdbcClient;

import io.idempotency.internal.postgres.jdbc.Schema;

/**
 * The step that removes a partition when the last of its rows has expired. The partition is detached concurrently, which does
 * not block the table: PostgreSQL uses two transactions and waits between them for those that may still read the partition. If
 * that is interrupted, the detachment is pending, and the next run completes it.
 */
final class PartitionRemoval implements MaintenanceStep {

    /** Long, because only DDL on the table waits for this lock. */
    private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(2);

    /** See <a href="https://www.postgresql.org/docs/current/errcodes-appendix.html">PostgreSQL Error Codes</a>. */
    private static final String DEPENDENT_OBJECTS = "2BP01";

    private final Schema schema;

    private final MaintenanceConnection connection;

    private final boolean archive;

    /**
     * Prepares the statements.
     *
     * @param archive whether partitions are kept as tables of their own instead of being dropped
     */
    PartitionRemoval(Schema schema, MaintenanceConnection connection, boolean archive) {
        this.schema = schema;
        this.connection = connection;
        this.archive = archive;
    }

    @Override
    public boolean run() {
        boolean isNothingToDo = connection.query(jdbcClient ->
                findPending(jdbcClient).isEmpty() && findExpired(jdbcClient).isEmpty());
        return isNothingToDo || connection.changeOutsideOfTransactions(LOCK_TIMEOUT, this::remove);
    }

    /** Queries again under the lock. If one partition fails, the others are still removed. */
    private boolean remove(JdbcClient jdbcClient) {
        findPending(jdbcClient)
                .forEach(partition -> jdbcClient
                        .sql(resolve(PartitionSql.FINALIZE_DETACH, partition))
                        .update());
        DataAccessException failure = null;
        for (Partition partition : findExpired(jdbcClient)) {
            try {
                remove(jdbcClient, partition);
            } catch (DataAccessException failed) {
                if (MaintenanceConnection.isLockNotAvailable(failed)) {
                    throw failed;
                }
                if (failure == null) {
                    failure = failed;
                } else {
                    failure.addSuppressed(failed);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
        return true;
    }

    private void remove(JdbcClient jdbcClient, Partition partition) {
        if (partition.attached()) {
            jdbcClient.sql(resolve(PartitionSql.DETACH, partition.name())).update();
        }
        if (archive) {
            moveToArchive(jdbcClient, partition.name());
        } else {
            drop(jdbcClient, partition.name());
        }
        jdbcClient
                .sql(schema.resolve(PartitionSql.DELETE))
                .param(partition.name())
                .update();
    }

    private void drop(JdbcClient jdbcClient, String partition) {
        try {
            jdbcClient.sql(resolve(PartitionSql.DROP, partition)).update();
        } catch (DataAccessException failure) {
            if (!MaintenanceConnection.hasState(failure, DEPENDENT_OBJECTS)) {
                throw failure;
            }
            throw new InvalidDataAccessResourceUsageException(
                    "The partition " + schema.name() + "." + partition
                            + " is detached and could not be dropped, because a"
                            + " view or a constraint depends on it. Drop that; the next run does the rest",
                    failure);
        }
    }

    /** Appends the oid if the name is taken: the first partition of a table may get the same name again after years. */
    private void moveToArchive(JdbcClient jdbcClient, String partition) {
        String archived = partition.replaceFirst("processed_message", "processed_message_archive");
        boolean isTaken = jdbcClient
                .sql(resolve(PartitionSql.ARCHIVED_EXISTS, partition).replace("{archived}", archived))
                .query(Boolean.class)
                .single();
        String suffix = isTaken
                ? "_"
                        + jdbcClient
                                .sql(resolve(PartitionSql.OID, partition))
                                .query(Long.class)
                                .single()
                : "";
        jdbcClient
                .sql(resolve(PartitionSql.RENAME, partition).replace("{archived}", archived + suffix))
                .update();
    }

    private List<String> findPending(JdbcClient jdbcClient) {
        return jdbcClient
                .sql(schema.resolve(PartitionSql.FIND_DETACH_PENDING))
                .query(String.class)
                .list();
    }

    private List<Partition> findExpired(JdbcClient jdbcClient) {
        return jdbcClient
                .sql(schema.resolve(PartitionSql.FIND_EXPIRED))
                .query((row, number) -> new Partition(row.getString("name"), row.getBoolean("attached")))
                .list();
    }

    private String resolve(String sql, String partition) {
        return schema.resolve(sql).replace("{partition}", partition);
    }

    private record Partition(String name, boolean attached) {}
}
