package io.idempotency.postgres;

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

import io.idempotency.retention.MaintenanceStep;

/**
 * Lets messages be stored in the next partition when the time of the open one is over. The trigger takes a lock that waits for
 * every transaction that has written to the partition, so that who sees the new border sees all of their rows as well. A trigger
 * and not a row, because who was routed to the partition by an older snapshot has to meet it all the same: triggers are read
 * when the table is locked.
 */
final class MessageLeafSealing implements MaintenanceStep {

    /** How long others may wait behind this; more with each attempt that did not suffice. */
    private static final Duration SHORTEST_WAIT = Duration.ofMillis(100);

    private static final int LONGEST_WAIT = 10;

    /** More than deadlock_timeout by default, so that PostgreSQL cancels an automatic vacuum that is in the way. */
    private static final Duration INSISTENT_WAIT = Duration.ofSeconds(3);

    /**
     * Ten minutes late, it is tried in the first seconds of each minute whoever is in the way, who may be never gone. Not
     * once a minute by each instance, because the others would wait for all of them. The first attempt lasts as long as those
     * seconds, and meanwhile no other instance is at it.
     */
    private static final String FIND_PASSED = """
            select open.leaf, coalesce(next.starts_at, 'infinity'), coalesce(next.ends_at, 'infinity'),
                   late.seconds >= 600.0 and mod(late.seconds, 60.0) < 3.0
            from {schema}.processed_message_head as head
            join {schema}.storage_partition as open
                on open.parent = 'processed_message' and open.starts_at = head.open_from
            left join {schema}.storage_partition as next
                on next.parent = 'processed_message'
                and next.starts_at <= clock_timestamp() and next.ends_at > clock_timestamp()
            cross join lateral (
                select coalesce(extract(epoch from clock_timestamp() - nullif(head.open_until, '-infinity')), 0)) as late (seconds)
            where head.open_until <= clock_timestamp()""";

    /**
     * Who has written and does not come to an end would have all others wait for nothing. So would a vacuum: PostgreSQL cancels
     * an automatic one only for who has waited longer than deadlock_timeout, which is a second by default.
     * How long a transaction lasts is hidden from who may not look at another's role, and not told of prepared ones; it is null
     * then.
     */
    private static final String FIND_HOLDERS = """
            select l.virtualtransaction,
                   bool_or(l.mode <> 'RowExclusiveLock' or a.xact_start < clock_timestamp() - interval '1 second')
            from pg_catalog.pg_locks as l
            left join pg_catalog.pg_stat_activity as a on a.pid = l.pid
            where l.locktype = 'relation' and l.granted and l.relation = '{schema}.{leaf}'::regclass::oid
                and l.database = (select oid from pg_catalog.pg_database where datname = current_database())
                and l.pid is distinct from pg_backend_pid()
                and l.mode in ('RowExclusiveLock', 'ShareUpdateExclusiveLock', 'ShareLock', 'ShareRowExclusiveLock',
                    'ExclusiveLock', 'AccessExclusiveLock')
            group by l.virtualtransaction""";

    /** Everybody waits for who has the lock, so that an instance that stands still must not keep it for long. */
    private static final String BOUND = """
            select set_config('lock_timeout', cast(? as text), true), set_config('idle_in_transaction_session_timeout', '2s', true)""";

    private static final String SEAL = """
            create trigger sealed before insert on {schema}.{leaf}
            for each row execute function {schema}.processed_message_refuse()""";

    private static final String OPEN_NEXT = "update {schema}.processed_message_head set open_from = ?, open_until = ?";

    /** Those between the two were never open. */
    private static final String NOTE = """
            update {schema}.storage_partition
            set sealed_at = clock_timestamp()
            where parent = 'processed_message' and sealed_at is null and ends_at <= ?""";

    private final Schema schema;

    private final MaintenanceConnection connection;

    /** Since the last success; looks that attempted nothing do not count. */
    private final AtomicInteger attempts = new AtomicInteger();

    /** The transactions that were in the way at the last look and of which it is not known for how long. */
    private final AtomicReference<Set<String>> unknownBefore = new AtomicReference<>(Set.of());

    MessageLeafSealing(Schema schema, MaintenanceConnection connection) {
        this.schema = schema;
        this.connection = connection;
    }

    @Override
    public boolean run() {
        boolean done = connection.change(SHORTEST_WAIT, this::seal);
        if (done) {
            attempts.set(0);
        }
        return done;
    }

    private boolean seal(JdbcClient jdbcClient) {
        Optional<Border> passed = jdbcClient
                .sql(schema.resolve(FIND_PASSED))
                .query((row, number) -> new Border(
                        row.getString(1),
                        row.getObject(2, OffsetDateTime.class),
                        row.getObject(3, OffsetDateTime.class),
                        row.getBoolean(4)))
                .optional();
        return passed.isEmpty() || (passed.get().hasNext() && seal(jdbcClient, passed.get()));
    }

    private boolean seal(JdbcClient jdbcClient, Border border) {
        if (!border.insistent() && isHeld(jdbcClient, border)) {
            return false;
        }
        int attempt = attempts.incrementAndGet();
        Duration wait =
                border.insistent() ? INSISTENT_WAIT : SHORTEST_WAIT.multipliedBy(Math.min(attempt, LONGEST_WAIT));
        jdbcClient.sql(BOUND).param(Long.toString(wait.toMillis())).query().singleRow();
        jdbcClient.sql(resolve(SEAL, border)).update();
        jdbcClient
                .sql(schema.resolve(OPEN_NEXT))
                .params(border.from(), border.until())
                .update();
        jdbcClient.sql(schema.resolve(NOTE)).param(border.from()).update();
        return true;
    }

    /** Who is there at two looks that follow each other has been there for long enough, whatever is known of him. */
    private boolean isHeld(JdbcClient jdbcClient, Border border) {
        Set<String> unknown = new HashSet<>();
        AtomicBoolean held = new AtomicBoolean();
        jdbcClient.sql(resolve(FIND_HOLDERS, border)).query(row -> {
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

    private String resolve(String sql, Border border) {
        return schema.resolve(sql).replace("{leaf}", border.leaf());
    }

    /**
     * What ends and what begins.
     *
     * @param leaf the partition that ends
     * @param from when the next one begins, which is for the present; the end of time if there is none
     * @param until when that ends
     * @param insistent whether it is tried whoever is in the way
     */
    private record Border(String leaf, OffsetDateTime from, OffsetDateTime until, boolean insistent) {

        boolean hasNext() {
            return from.isBefore(OffsetDateTime.MAX);
        }
    }
}
