package io.idempotency.postgres;

import java.time.Duration;
import java.util.List;

import org.springframework.dao.DataAccessException;
import org.springframework.dao.InvalidDataAccessResourceUsageException;
import org.springframework.jdbc.core.simple.JdbcClient;

import io.idempotency.retention.MaintenanceStep;

/**
 * Forgets a whole partition when the last of its rows has expired. It is detached without keeping anybody from its table:
 * that takes two transactions of PostgreSQL's and waits in between for those that may still read it. If it is cut short
 * there, it is pending, and the next run goes on.
 */
final class LeafRemoval implements MaintenanceStep {

    /** Nobody waits behind it, but for other changes of the table itself. */
    private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(2);

    /** See <a href="https://www.postgresql.org/docs/current/errcodes-appendix.html">PostgreSQL Error Codes</a>. */
    private static final String DEPENDENT_OBJECTS = "2BP01";

    private static final String FIND_PENDING = """
            select leaf.relname
            from pg_catalog.pg_inherits as i
            join pg_catalog.pg_class as leaf on leaf.oid = i.inhrelid
            where i.inhparent = '{schema}.processed_message'::regclass::oid and i.inhdetachpending""";

    private static final String FINALIZE = "alter table {schema}.processed_message detach partition {schema}.{leaf} finalize";

    /**
     * Not while a transaction goes on that is older than its seal, which would look for it in order to be told so. A transaction
     * of another role may not tell its age; it is not waited for.
     */
    private static final String FIND_EXPIRED = """
            select p.leaf, exists (
                       select 1
                       from pg_catalog.pg_inherits as i
                       where i.inhrelid = to_regclass('{schema}.' || quote_ident(p.leaf))::oid) as attached
            from {schema}.storage_partition as p
            where p.expires_at < statement_timestamp() and p.sealed_at is not null
                and not exists (
                    select 1
                    from pg_catalog.pg_stat_activity as a
                    where a.datname = current_database()
                        and a.pid <> pg_backend_pid()
                        and a.xact_start < p.sealed_at)
            order by p.starts_at""";

    private static final String DETACH = "alter table {schema}.processed_message detach partition {schema}.{leaf} concurrently";

    private static final String DROP = "drop table if exists {schema}.{leaf}";

    private static final String EXISTS = "select to_regclass('{schema}.{archived}') is not null";

    private static final String OID = "select coalesce(to_regclass('{schema}.{leaf}')::oid, 0)";

    /** So that the name is free and says what it is. */
    private static final String KEEP = "alter table if exists {schema}.{leaf} rename to {archived}";

    private static final String FORGET = "delete from {schema}.storage_partition where leaf = cast(? as text)";

    private final Schema schema;

    private final MaintenanceConnection connection;

    private final boolean archive;

    /**
     * Prepares the statements.
     *
     * @param archive whether partitions are kept as tables of their own instead of being dropped
     */
    LeafRemoval(Schema schema, MaintenanceConnection connection, boolean archive) {
        this.schema = schema;
        this.connection = connection;
        this.archive = archive;
    }

    @Override
    public boolean run() {
        boolean isNothingToDo = connection.ask(jdbcClient ->
                findPending(jdbcClient).isEmpty() && findExpired(jdbcClient).isEmpty());
        return isNothingToDo || connection.changeOutsideOfTransactions(LOCK_TIMEOUT, this::remove);
    }

    /** Asks again, now that nobody else is at it. What keeps one of them does not keep the others. */
    private boolean remove(JdbcClient jdbcClient) {
        findPending(jdbcClient)
                .forEach(leaf -> jdbcClient.sql(resolve(FINALIZE, leaf)).update());
        DataAccessException failure = null;
        for (Leaf leaf : findExpired(jdbcClient)) {
            try {
                remove(jdbcClient, leaf);
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

    private void remove(JdbcClient jdbcClient, Leaf leaf) {
        if (leaf.attached()) {
            jdbcClient.sql(resolve(DETACH, leaf.name())).update();
        }
        if (archive) {
            keep(jdbcClient, leaf.name());
        } else {
            drop(jdbcClient, leaf.name());
        }
        jdbcClient.sql(schema.resolve(FORGET)).param(leaf.name()).update();
    }

    private void drop(JdbcClient jdbcClient, String leaf) {
        try {
            jdbcClient.sql(resolve(DROP, leaf)).update();
        } catch (DataAccessException failure) {
            if (!MaintenanceConnection.hasState(failure, DEPENDENT_OBJECTS)) {
                throw failure;
            }
            throw new InvalidDataAccessResourceUsageException(
                    "The partition " + schema.name() + "." + leaf + " is detached and could not be dropped, because a"
                            + " view or a constraint depends on it. Drop that; the rest is done by the next run",
                    failure);
        }
    }

    /** The first partition of a table may get the same name again after years. */
    private void keep(JdbcClient jdbcClient, String leaf) {
        String archived = leaf.replaceFirst("processed_message", "processed_message_archive");
        boolean isTaken = jdbcClient
                .sql(resolve(EXISTS, leaf).replace("{archived}", archived))
                .query(Boolean.class)
                .single();
        String suffix = isTaken
                ? "_" + jdbcClient.sql(resolve(OID, leaf)).query(Long.class).single()
                : "";
        jdbcClient
                .sql(resolve(KEEP, leaf).replace("{archived}", archived + suffix))
                .update();
    }

    private List<String> findPending(JdbcClient jdbcClient) {
        return jdbcClient.sql(schema.resolve(FIND_PENDING)).query(String.class).list();
    }

    private List<Leaf> findExpired(JdbcClient jdbcClient) {
        return jdbcClient
                .sql(schema.resolve(FIND_EXPIRED))
                .query((row, number) -> new Leaf(row.getString(1), row.getBoolean(2)))
                .list();
    }

    private String resolve(String sql, String leaf) {
        return schema.resolve(sql).replace("{leaf}", leaf);
    }

    private record Leaf(String name, boolean attached) {}
}
