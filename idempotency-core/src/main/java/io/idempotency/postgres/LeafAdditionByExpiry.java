package io.idempotency.postgres;

import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;

import io.idempotency.retention.LeafLength;
import io.idempotency.retention.MaintenanceStep;

/**
 * Makes partitions by expiry long before they are needed: always so many that nothing expires late enough for them
 * yet, whatever the retention of any instance. What expires later than all of them is in the last one, which has no end;
 * that gets one here when it holds anything.
 */
final class LeafAdditionByExpiry implements MaintenanceStep {

    private static final Logger logger = LoggerFactory.getLogger(LeafAdditionByExpiry.class);

    /** How long others may wait behind this; then it gives up. */
    private static final Duration LOCK_TIMEOUT = Duration.ofMillis(500);

    /** The size tells without reading them which partitions have ever held anything. */
    private static final String LOOK = """
            select clock_timestamp() as now, rest.starts_at, rest.held_from, rest.held_until,
                   (select max(p.ends_at)
                    from {schema}.storage_partition as p
                    where p.parent = '{parent}'
                        and pg_relation_size(to_regclass('{schema}.' || quote_ident(p.leaf))) > 0) as used_until
            from (
                select (select substring(pg_get_expr(relpartbound, oid) from 'FROM \\(''(.*)''\\) TO')::timestamptz
                        from pg_catalog.pg_class
                        where oid = '{schema}.{parent}_rest'::regclass::oid) as starts_at,
                       min(expires_at) as held_from,
                       max(expires_at) as held_until
                from {schema}.{parent}_rest) as rest""";

    /** Callers wait while what the last partition holds is read, and for no longer than this. */
    private static final String BOUND = "set local statement_timeout = '5s'";

    private static final String QUERY_CANCELED = "57014";

    /** They would wait for nothing again: it holds no less then. */
    private static final Duration PAUSE = Duration.ofHours(1);

    private static final String ADD =
            "select 1 from {schema}.add_partitions_by_expiry('{parent}', ?::timestamptz[], ?::timestamptz, ?)";

    private final MaintenanceConnection connection;

    private final String parent;

    private final boolean hasKeys;

    private final LeafLength length;

    private final TableHolders holders;

    private final String look;

    private final String add;

    private @Nullable Long cutShortAt;

    /**
     * Prepares the statements.
     *
     * @param parent a name of the library's own
     * @param hasKeys whether deduplication keys have to be forgotten before a partition goes
     * @param length of new partitions
     */
    LeafAdditionByExpiry(
            Schema schema, MaintenanceConnection connection, String parent, boolean hasKeys, LeafLength length) {
        this.connection = connection;
        this.hasKeys = hasKeys;
        this.length = length;
        this.parent = schema.name() + "." + parent;
        this.holders = new TableHolders(schema, parent);
        this.look = schema.resolve(LOOK).replace("{parent}", parent);
        this.add = schema.resolve(ADD).replace("{parent}", parent);
    }

    @Override
    public boolean run() {
        if (cutShortAt != null && System.nanoTime() - cutShortAt < PAUSE.toNanos()) {
            return true;
        }
        try {
            return connection.change(LOCK_TIMEOUT, this::add);
        } catch (DataAccessException failure) {
            if (!MaintenanceConnection.hasState(failure, QUERY_CANCELED)) {
                throw failure;
            }
            cutShortAt = System.nanoTime();
            logger.warn(
                    "No partitions were made of {}, because {}_rest holds so much that it takes too long to read it while"
                            + " everybody waits. It is tried again in {} minutes. Meanwhile what no other is for is"
                            + " stored there and not forgotten: give it an end in a quiet hour, as docs/partitions.md says",
                    parent,
                    parent,
                    PAUSE.toMinutes());
            return true;
        }
    }

    private boolean add(JdbcClient jdbcClient) {
        LeafBordersByExpiry borders = look(jdbcClient);
        List<String> missing = borders.missing();
        if (missing.isEmpty()) {
            return true;
        }
        if (holders.areThere(jdbcClient)) {
            return false;
        }
        jdbcClient.sql(BOUND).update();
        jdbcClient
                .sql(add)
                .param(missing.stream().collect(Collectors.joining(",", "{", "}")))
                .param(borders.holdsFrom())
                .param(hasKeys)
                .query()
                .singleRow();
        return true;
    }

    private LeafBordersByExpiry look(JdbcClient jdbcClient) {
        return jdbcClient
                .sql(look)
                .query((row, number) -> new LeafBordersByExpiry(
                        length,
                        LeafBordersByExpiry.AHEAD,
                        row.getObject(1, OffsetDateTime.class),
                        row.getObject(2, OffsetDateTime.class),
                        row.getObject(3, OffsetDateTime.class),
                        row.getObject(4, OffsetDateTime.class),
                        row.getObject(5, OffsetDateTime.class)))
                .single();
    }
}
