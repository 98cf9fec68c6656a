package io.idempotency.internal.postgres.partition;

import java.time.Duration;
import java.time.OffsetDateTime;

import org.springframework.jdbc.core.simple.JdbcClient;

import io.idempotency.internal.postgres.jdbc.Schema;

/** The step that adds partitions before they are needed. */
final class PartitionAddition implements MaintenanceStep {

    static final int AHEAD = 7;

    private static final Duration LOCK_TIMEOUT = Duration.ofMillis(500);

    private final MaintenanceConnection connection;

    private final PartitionPeriod period;

    private final String findLast;

    private final String add;

    PartitionAddition(Schema schema, MaintenanceConnection connection, PartitionPeriod period) {
        this.connection = connection;
        this.period = period;
        this.findLast = schema.resolve(PartitionSql.FIND_LAST);
        this.add = schema.resolve(PartitionSql.ADD);
    }

    @Override
    public boolean run() {
        return connection.change(LOCK_TIMEOUT, this::add);
    }

    /** After a long break, begins with the current period: the time in between needs no partition. */
    private boolean add(JdbcClient jdbcClient) {
        Last known = jdbcClient
                .sql(findLast)
                .query((row, number) -> new Last(
                        row.getObject("now", OffsetDateTime.class),
                        row.getObject("last_end", OffsetDateTime.class),
                        row.getInt("ahead")))
                .single();
        OffsetDateTime from = known.end().isAfter(known.now()) ? known.end() : period.startOf(known.now());
        from = from.isBefore(known.end()) ? known.end() : from;
        for (int ahead = known.ahead(); ahead < AHEAD; ) {
            OffsetDateTime until = period.endOf(from);
            jdbcClient.sql(add).params(from, until).query(String.class).single();
            ahead += from.isAfter(known.now()) ? 1 : 0;
            from = until;
        }
        return true;
    }

    private record Last(OffsetDateTime now, OffsetDateTime end, int ahead) {}
}
