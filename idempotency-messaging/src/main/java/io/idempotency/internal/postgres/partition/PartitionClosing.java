package io.idempotency.internal.postgres.partition;

import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.Collections;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import org.springframework.jdbc.core.simple.JdbcClient;

import io.idempotency.internal.postgres.jdbc.Schema;

/**
 * The step that closes the open partition by a trigger when its period is over, and opens the next one. The creation of the
 * trigger waits for every transaction that has written to the partition, so a transaction that sees the new bound also sees all
 * of their rows. A row in the partition catalog would not suffice: a transaction with an older snapshot does not see it, but it
 * does see a trigger.
 */
final class PartitionClosing implements MaintenanceStep {

    /** The longest wait of the first attempt for the lock; each further attempt waits longer. */
    private static final Duration FIRST_WAIT = Duration.ofMillis(100);

    private static final int MAX_WAIT_FACTOR = 10;

    /** Longer than the default of deadlock_timeout, so that PostgreSQL cancels an automatic vacuum that holds the lock. */
    private static final Duration INSISTENT_WAIT = Duration.ofSeconds(3);

    private final Schema schema;

    private final MaintenanceConnection connection;

    /** Attempts since the last success. */
    private final AtomicInteger attempts = new AtomicInteger();

    /** The lock holders of unknown start in the last run. */
    private final AtomicReference<Set<String>> unknownBefore = new AtomicReference<>(Set.of());

    PartitionClosing(Schema schema, MaintenanceConnection connection) {
        this.schema = schema;
        this.connection = connection;
    }

    @Override
    public boolean run() {
        boolean done = connection.change(FIRST_WAIT, this::close);
        if (done) {
            attempts.set(0);
        }
        return done;
    }

    private boolean close(JdbcClient jdbcClient) {
        Optional<Bound> passed = jdbcClient
                .sql(schema.resolve(PartitionSql.FIND_PASSED))
                .query((row, number) -> new Bound(
                        row.getString("name"),
                        row.getObject("next_from", OffsetDateTime.class),
                        row.getObject("next_until", OffsetDateTime.class),
                        row.getBoolean("insistent")))
                .optional();
        return passed.isEmpty() || (passed.get().hasNext() && close(jdbcClient, passed.get()));
    }

    private boolean close(JdbcClient jdbcClient, Bound bound) {
        if (!bound.insistent() && isHeld(jdbcClient, bound)) {
            return false;
        }
        int attempt = attempts.incrementAndGet();
        Duration wait =
                bound.insistent() ? INSISTENT_WAIT : FIRST_WAIT.multipliedBy(Math.min(attempt, MAX_WAIT_FACTOR));
        jdbcClient
                .sql(PartitionSql.LIMIT_WAIT)
                .param(Long.toString(wait.toMillis()))
                .query()
                .singleRow();
        jdbcClient.sql(resolve(PartitionSql.CLOSE, bound)).update();
        jdbcClient
                .sql(schema.resolve(PartitionSql.OPEN_NEXT))
                .params(bound.from(), bound.until())
                .update();
        jdbcClient
                .sql(schema.resolve(PartitionSql.NOTE_CLOSED))
                .param(bound.from())
                .update();
        return true;
    }

    /** Returns whether a lock holder prevents the closing. One of unknown start does so from the second run on. */
    private boolean isHeld(JdbcClient jdbcClient, Bound bound) {
        Set<String> unknown = new HashSet<>();
        AtomicBoolean held = new AtomicBoolean();
        jdbcClient.sql(resolve(PartitionSql.FIND_LOCK_HOLDERS, bound)).query(row -> {
            boolean blocksClosing = row.getBoolean("in_the_way");
            if (row.wasNull()) {
                unknown.add(row.getString("virtualtransaction"));
            } else if (blocksClosing) {
                held.set(true);
            }
        });
        Set<String> before = unknownBefore.getAndSet(unknown);
        return held.get() || !Collections.disjoint(before, unknown);
    }

    private String resolve(String sql, Bound bound) {
        return schema.resolve(sql).replace("{partition}", bound.partition());
    }

    /**
     * A bound that has passed.
     *
     * @param from the start of the current partition; the end of time if there is none
     * @param insistent whether closing is tried in spite of lock holders
     */
    private record Bound(String partition, OffsetDateTime from, OffsetDateTime until, boolean insistent) {

        boolean hasNext() {
            return from.isBefore(OffsetDateTime.MAX);
        }
    }
}
