package io.idempotency.postgres;

import java.time.Duration;

import io.idempotency.retention.MaintenanceStep;

/**
 * Keeps room for what expires before all partitions that are left. It is needed where a clock was set back, or where somebody
 * has taken days from the moment in which he was told the time of expiry; both would fail without a partition.
 */
final class LeafBeforeAllByExpiry implements MaintenanceStep {

    private static final Duration LOCK_TIMEOUT = Duration.ofMillis(500);

    /** Cheap, because it is asked for all the time. */
    private static final String IS_THERE = """
            select exists (
                select 1
                from pg_catalog.pg_inherits as i
                join pg_catalog.pg_class as leaf on leaf.oid = i.inhrelid
                where i.inhparent = '{schema}.{parent}'::regclass::oid
                    and pg_get_expr(leaf.relpartbound, leaf.oid) like '%(MINVALUE)%')""";

    private static final String ADD = "select {schema}.add_partition_before_all('{parent}', ?)";

    private final MaintenanceConnection connection;

    private final boolean hasKeys;

    private final String isThere;

    private final String add;

    /**
     * Prepares the statements.
     *
     * @param parent a name of the library's own
     * @param hasKeys whether deduplication keys have to be forgotten before a partition goes
     */
    LeafBeforeAllByExpiry(Schema schema, MaintenanceConnection connection, String parent, boolean hasKeys) {
        this.connection = connection;
        this.hasKeys = hasKeys;
        this.isThere = schema.resolve(IS_THERE).replace("{parent}", parent);
        this.add = schema.resolve(ADD).replace("{parent}", parent);
    }

    @Override
    public boolean run() {
        return connection.ask(jdbcClient ->
                        jdbcClient.sql(isThere).query(Boolean.class).single())
                || connection.change(
                        LOCK_TIMEOUT,
                        jdbcClient -> jdbcClient
                                .sql(add)
                                .param(hasKeys)
                                .query(Boolean.class)
                                .single());
    }
}
