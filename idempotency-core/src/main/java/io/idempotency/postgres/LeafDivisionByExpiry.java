package io.idempotency.postgres;

import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

import org.springframework.jdbc.core.simple.JdbcClient;

import io.idempotency.retention.LeafLength;
import io.idempotency.retention.MaintenanceStep;

/**
 * Divides a partition that is for longer than others, as long as nothing expires in it: that is what is left of a gap, or of
 * another length. What came to expire there would be kept until its end.
 */
final class LeafDivisionByExpiry implements MaintenanceStep {

    /** How long others may wait behind this; then it gives up. */
    private static final Duration LOCK_TIMEOUT = Duration.ofMillis(500);

    /** Each takes locks of the transaction that makes it. */
    private static final int AT_ONCE = 40;

    /** More than a year has days. Who reads the whole table takes locks of all, and the rest is divided when others have gone. */
    static final int MOST = 400;

    private static final String COUNT = """
            select count(*)
            from pg_catalog.pg_inherits
            where inhparent = '{schema}.{parent}'::regclass::oid""";

    private static final String FIND_EMPTY = """
            select p.leaf, p.starts_at, p.ends_at
            from {schema}.storage_partition as p
            join pg_catalog.pg_inherits as i on i.inhrelid = to_regclass('{schema}.' || quote_ident(p.leaf))::oid
            where p.parent = '{parent}' and p.starts_at > clock_timestamp()
                and i.inhparent = '{schema}.{parent}'::regclass::oid and not i.inhdetachpending
                and pg_relation_size(i.inhrelid::regclass) = 0
            order by p.starts_at""";

    private static final String DIVIDE =
            "select 1 from {schema}.divide_partition_by_expiry('{parent}', ?, ?::timestamptz[], ?)";

    private final MaintenanceConnection connection;

    private final boolean hasKeys;

    private final LeafLength length;

    private final TableHolders holders;

    private final String count;

    private final String findEmpty;

    private final String divide;

    /**
     * Prepares the statements.
     *
     * @param parent a name of the library's own
     * @param hasKeys whether deduplication keys have to be forgotten before a partition goes
     * @param length of the new partitions
     */
    LeafDivisionByExpiry(
            Schema schema, MaintenanceConnection connection, String parent, boolean hasKeys, LeafLength length) {
        this.connection = connection;
        this.hasKeys = hasKeys;
        this.length = length;
        this.holders = new TableHolders(schema, parent);
        this.count = schema.resolve(COUNT).replace("{parent}", parent);
        this.findEmpty = schema.resolve(FIND_EMPTY).replace("{parent}", parent);
        this.divide = schema.resolve(DIVIDE).replace("{parent}", parent);
    }

    @Override
    public boolean run() {
        return connection.ask(this::findLong).isEmpty() || connection.change(LOCK_TIMEOUT, this::divide);
    }

    /** Not all at once: whoever waits has his turn in between. */
    private boolean divide(JdbcClient jdbcClient) {
        Optional<Leaf> found = findLong(jdbcClient);
        if (found.isEmpty()) {
            return true;
        }
        if (holders.areThere(jdbcClient)) {
            return false;
        }
        Leaf leaf = found.get();
        jdbcClient
                .sql(divide)
                .param(leaf.name())
                .param(borders(leaf, room(jdbcClient)).stream()
                        .map(OffsetDateTime::toString)
                        .collect(Collectors.joining(",", "{", "}")))
                .param(hasKeys)
                .query()
                .singleRow();
        return findLong(jdbcClient).isEmpty();
    }

    private List<OffsetDateTime> borders(Leaf leaf, int most) {
        List<OffsetDateTime> borders = new ArrayList<>(List.of(leaf.startsAt()));
        OffsetDateTime next = length.endOf(leaf.startsAt());
        while (next.isBefore(leaf.endsAt()) && borders.size() <= most) {
            borders.add(next);
            next = length.endOf(next);
        }
        borders.add(leaf.endsAt());
        return borders;
    }

    private Optional<Leaf> findLong(JdbcClient jdbcClient) {
        if (room(jdbcClient) < 1) {
            return Optional.empty();
        }
        return jdbcClient
                .sql(findEmpty)
                .query((row, number) -> new Leaf(
                        row.getString(1),
                        row.getObject(2, OffsetDateTime.class),
                        row.getObject(3, OffsetDateTime.class)))
                .stream()
                .filter(leaf -> length.endOf(leaf.startsAt()).isBefore(leaf.endsAt()))
                .findFirst();
    }

    private int room(JdbcClient jdbcClient) {
        return Math.min(
                AT_ONCE, MOST - jdbcClient.sql(count).query(Integer.class).single());
    }

    private record Leaf(String name, OffsetDateTime startsAt, OffsetDateTime endsAt) {}
}
