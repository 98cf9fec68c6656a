package io.idempotency.postgres;

import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;

import org.springframework.jdbc.core.simple.JdbcClient;

import io.idempotency.retention.MaintenanceStep;

/**
 * Puts an empty partition where one is missing between two others. Somebody has dropped or detached it, or a backup was restored
 * without it; what expires there fails until then.
 */
final class LeafGapsByExpiry implements MaintenanceStep {

    private static final Duration LOCK_TIMEOUT = Duration.ofMillis(500);

    /** As the catalog says, because a partition that is known may not be there any more. */
    private static final String FIND = """
            select bounded.ends_at, bounded.next_at
            from (
                select bound.ends_at, pg_catalog.lead(bound.starts_at) over (order by bound.starts_at nulls first) as next_at
                from pg_catalog.pg_inherits as i
                join pg_catalog.pg_class as leaf on leaf.oid = i.inhrelid
                cross join lateral (select pg_get_expr(leaf.relpartbound, leaf.oid) as expression) as e
                cross join lateral (
                    select substring(e.expression from 'FROM \\(''(.*)''\\) TO')::timestamptz as starts_at,
                           substring(e.expression from 'TO \\(''(.*)''\\)')::timestamptz as ends_at) as bound
                where i.inhparent = '{schema}.{parent}'::regclass::oid) as bounded
            where bounded.ends_at < bounded.next_at""";

    private static final String CLOSE =
            "select 1 from {schema}.add_partition_between('{parent}', ?::timestamptz, ?::timestamptz, ?)";

    private final MaintenanceConnection connection;

    private final boolean hasKeys;

    private final String find;

    private final String close;

    /**
     * Prepares the statements.
     *
     * @param parent a name of the library's own
     * @param hasKeys whether deduplication keys have to be forgotten before a partition goes
     */
    LeafGapsByExpiry(Schema schema, MaintenanceConnection connection, String parent, boolean hasKeys) {
        this.connection = connection;
        this.hasKeys = hasKeys;
        this.find = schema.resolve(FIND).replace("{parent}", parent);
        this.close = schema.resolve(CLOSE).replace("{parent}", parent);
    }

    @Override
    public boolean run() {
        return connection.ask(this::find).isEmpty() || connection.change(LOCK_TIMEOUT, this::close);
    }

    private boolean close(JdbcClient jdbcClient) {
        find(jdbcClient)
                .forEach(gap -> jdbcClient
                        .sql(close)
                        .param(gap.startsAt())
                        .param(gap.endsAt())
                        .param(hasKeys)
                        .query()
                        .singleRow());
        return true;
    }

    private List<Gap> find(JdbcClient jdbcClient) {
        return jdbcClient
                .sql(find)
                .query((row, number) ->
                        new Gap(row.getObject(1, OffsetDateTime.class), row.getObject(2, OffsetDateTime.class)))
                .list();
    }

    private record Gap(OffsetDateTime startsAt, OffsetDateTime endsAt) {}
}
