package io.idempotency.postgres;

import java.time.Duration;
import java.time.OffsetDateTime;

import org.springframework.jdbc.core.simple.JdbcClient;

import io.idempotency.retention.LeafLength;
import io.idempotency.retention.MaintenanceStep;

/** Makes partitions of handled messages long before they are needed. */
final class MessageLeafAddition implements MaintenanceStep {

    static final int AHEAD = 7;

    private static final Duration LOCK_TIMEOUT = Duration.ofMillis(500);

    /** After a long break it goes on with the present time: what is in between is for nothing. */
    private static final String LAST = """
            select clock_timestamp(), greatest(max(ends_at), '-infinity'),
                   count(*) filter (where starts_at > clock_timestamp())
            from {schema}.storage_partition
            where parent = 'processed_message'""";

    private static final String ADD = "select {schema}.add_processed_message_partition(?, ?)";

    private final MaintenanceConnection connection;

    private final LeafLength length;

    private final String last;

    private final String add;

    MessageLeafAddition(Schema schema, MaintenanceConnection connection, LeafLength length) {
        this.connection = connection;
        this.length = length;
        this.last = schema.resolve(LAST);
        this.add = schema.resolve(ADD);
    }

    @Override
    public boolean run() {
        return connection.change(LOCK_TIMEOUT, this::add);
    }

    private boolean add(JdbcClient jdbcClient) {
        Last known = jdbcClient
                .sql(last)
                .query((row, number) -> new Last(
                        row.getObject(1, OffsetDateTime.class), row.getObject(2, OffsetDateTime.class), row.getInt(3)))
                .single();
        OffsetDateTime from = known.end().isAfter(known.now()) ? known.end() : length.startOf(known.now());
        from = from.isBefore(known.end()) ? known.end() : from;
        for (int ahead = known.ahead(); ahead < AHEAD; ) {
            OffsetDateTime until = length.endOf(from);
            jdbcClient.sql(add).params(from, until).query(String.class).single();
            ahead += from.isAfter(known.now()) ? 1 : 0;
            from = until;
        }
        return true;
    }

    private record Last(OffsetDateTime now, OffsetDateTime end, int ahead) {}
}
