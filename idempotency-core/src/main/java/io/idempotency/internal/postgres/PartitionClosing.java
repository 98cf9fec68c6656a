package io.idempotency.internal.postgres;

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
import io.idempotency.internal.retention.MaintenanceStep;

/**
 * Closes the open partition when its period is over, and opens the next one. A trigger closes it. To create that takes a lock
 * which waits for every transaction that has written to the partition, so that a transaction that sees the new bound sees all
 * of their rows as well. A row could not do that: a transaction with an older snapshot would not see it, but it meets the
 * trigger, because PostgreSQL reads triggers when it locks the table.
 */
final class PartitionClosing implements MaintenanceStep {

    /** How long others may wait behind this; more with each attempt that did not suffice. */
    private static final Duration SHORTEST_WAIT = Duration.ofMillis(100);

    private static final int LONGEST_WAIT = 10;

    /** More than deadlock_timeout by default, so that PostgreSQL cancels an automatic vacuum that is in the way. */
    private static final Duration INSISTENT_WAIT = Duration.ofSeconds(3);

    /**
     * If the partition is ten minutes overdue, closing it is tried in the first seconds of each minute whatever transaction is
     * in the way, because that may never end. Not once a minute by each instance, because callers would wait for each of them:
     * the first attempt lasts as long as those seconds, and no other instance tries meanwhile.
     */
    private static final String FIND_PASSED = """
            select open.name, coalesce(next.starts_at, 'infinity'), coalesce(next.ends_at, 'infinity'),
                   late.seconds >= 600.0 and mod(late.seconds, 60.0) < 3.0
            from {schema}.processed_message_head as head
            join {schema}.processed_message_partition as open
                on open.starts_at = head.open_from
            left join {schema}.processed_message_partition as next
                on next.starts_at <= clock_timestamp() and next.ends_at > clock_timestamp()
            cross join lateral (
                select coalesce(extract(epoch from clock_timestamp() - nullif(head.open_until, '-infinity')), 0)) as late (seconds)
            where head.open_until <= clock_timestamp()""";

    /**
     * A transaction that has written and does not end would have all others wait for nothing. So would a vacuum: PostgreSQL
     * cancels an automatic one only for a session that has waited longer than deadlock_timeout, a second by default. When a
     * transaction has begun is hidden from roles that may not see it, and unknown of prepared ones; it is null then.
     */
    private static final String FIND_HOLDERS = """
            select l.virtualtransaction,
                   bool_or(l.mode <> 'RowExclusiveLock' or a.xact_start < clock_timestamp() - interval '1 second')
            from pg_catalog.pg_locks as l
            left join pg_catalog.pg_stat_activity as a on a.pid = l.pid
            where l.locktype = 'relation' and l.granted and l.relation = '{schema}.{partition}'::regclass::oid
                and l.database = (select oid from pg_catalog.pg_database where datname = current_database())
                and l.pid is distinct from pg_backend_pid()
                and l.mode in ('RowExclusiveLock', 'ShareUpdateExclusiveLock', 'ShareLock', 'ShareRowExclusiveLock',
                    'ExclusiveLock', 'AccessExclusiveLock')
            group by l.virtualtransaction""";

    /** All callers wait for the holder of the lock, so an instance that stands still must not keep it for long. */
    private static final String LIMIT_WAIT = """
            select set_config('lock_timeout', cast(? as text), true), set_config('idle_in_transaction_session_timeout', '2s', true)""";

    private static final String CLOSE = """
            create trigger closed before insert on {schema}.{partition}
            for each row execute function {schema}.processed_message_refuse()""";

    private static final String OPEN_NEXT = "update {schema}.processed_message_head set open_from = ?, open_until = ?";

    /** Those between the two were never open. */
    private static final String NOTE = """
            update {schema}.processed_message_partition
            set closed_at = clock_timestamp()
            where closed_at is null and ends_at <= ?""";

    private final Schema schema;

    private final MaintenanceConnection connection;

    /** Attempts since the last success. */
    private final AtomicInteger attempts = new AtomicInteger();

    /** The transactions that were in the way at the last run and of which it is not known for how long. */
    private final AtomicReference<Set<String>> unknownBefore = new AtomicReference<>(Set.of());

    PartitionClosing(Schema schema, MaintenanceConnection connection) {
        this.schema = schema;
        this.connection = connection;
    }

    @Override
    public boolean run() {
        boolean done = connection.change(SHORTEST_WAIT, this::close);
        if (done) {
            attempts.set(0);
        }
        return done;
    }

    private boolean close(JdbcClient jdbcClient) {
        Optional<Bound> passed = jdbcClient
                .sql(schema.resolve(FIND_PASSED))
                .query((row, number) -> new Bound(
                        row.getString(1),
                        row.getObject(2, OffsetDateTime.class),
                        row.getObject(3, OffsetDateTime.class),
                        row.getBoolean(4)))
                .optional();
        return passed.isEmpty() || (passed.get().hasNext() && close(jdbcClient, passed.get()));
    }

    private boolean close(JdbcClient jdbcClient, Bound bound) {
        if (!bound.insistent() && isHeld(jdbcClient, bound)) {
            return false;
        }
        int attempt = attempts.incrementAndGet();
        Duration wait =
                bound.insistent() ? INSISTENT_WAIT : SHORTEST_WAIT.multipliedBy(Math.min(attempt, LONGEST_WAIT));
        jdbcClient.sql(LIMIT_WAIT).param(Long.toString(wait.toMillis())).query().singleRow();
        jdbcClient.sql(resolve(CLOSE, bound)).update();
        jdbcClient
                .sql(schema.resolve(OPEN_NEXT))
                .params(bound.from(), bound.until())
                .update();
        jdbcClient.sql(schema.resolve(NOTE)).param(bound.from()).update();
        return true;
    }

    /** A transaction that is in the way in two runs that follow each other has been so for long enough. */
    private boolean isHeld(JdbcClient jdbcClient, Bound bound) {
        Set<String> unknown = new HashSet<>();
        AtomicBoolean held = new AtomicBoolean();
        jdbcClient.sql(resolve(FIND_HOLDERS, bound)).query(row -> {
            boolean inTheWay = row.getBoolean(2);
            if (row.wasNull()) {
                unknown.add(row.getString(1));
            } else if (inTheWay) {
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
     * @param partition the partition that ends there
     * @param from when the partition of the present begins; the end of time if there is none
     * @param until when that ends
     * @param insistent whether closing is tried whatever transaction is in the way
     */
    private record Bound(String partition, OffsetDateTime from, OffsetDateTime until, boolean insistent) {

        boolean hasNext() {
            return from.isBefore(OffsetDateTime.MAX);
        }
    }
}
