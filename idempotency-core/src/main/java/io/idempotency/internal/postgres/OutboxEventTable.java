package io.idempotency.internal.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.springframework.dao.CannotAcquireLockException;

import io.idempotency.DeduplicationKeyReusedException;
import io.idempotency.internal.outbox.Delivery;
import io.idempotency.internal.outbox.NewMessage;
import io.idempotency.internal.outbox.OutboxStore;
import io.idempotency.internal.postgres.jdbc.Clients;
import io.idempotency.internal.postgres.jdbc.IntentColumns;
import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.jdbc.SqlFailures;
import io.idempotency.internal.postgres.jdbc.StatementParameters;
import io.idempotency.internal.transaction.RequiresNewTransaction;
import io.idempotency.outbox.OutboxMessage;
import io.idempotency.outbox.OutboxRecord;

import static java.util.Objects.requireNonNull;

/** The statements of the outbox. */
final class OutboxEventTable implements OutboxStore {

    private static final String INSERT = """
            insert into {schema}.outbox_event (
                message_id, topic, message_type, ordering_key, lane, aggregate_type, aggregate_id, payload, headers,
                deduplication_key, idempotency_scope, caller, idempotency_key, status, attempt_count,
                created_at, due_at, next_attempt_at)
            select ?::uuid, ?, ?, ?, ?::smallint, ?, ?, ?::json, (
                    select coalesce(pg_catalog.json_object_agg(header.name, header.value), '{}'::json)
                    from unnest(?::text[], ?::text[]) as header (name, value)),
                ?, ?, ?, ?, 'pending', 0, t.now, t.due, t.due
            from (
                select now, greatest(now, ?::timestamptz) as due
                from (select clock_timestamp() as now) c) t
            on conflict (topic, deduplication_key) do nothing
            returning message_id""";

    /** Payloads are compared as text first, because not all JSON can be jsonb. */
    private static final String FIND_DUPLICATE = """
            select m.message_id, m.message_type operator(pg_catalog.=) added.type and case
                       when m.payload::text = added.payload::text then true
                       else m.payload::jsonb = added.payload::jsonb
                   end
            from {schema}.outbox_event as m
            cross join (select cast(? as text) as type, cast(? as json) as payload) as added
            where m.topic operator(pg_catalog.=) cast(? as text)
                and m.deduplication_key operator(pg_catalog.=) cast(? as text)""";

    /**
     * Due, and nothing of its ordering key that was published before is to be tried later. A subquery and not an anti-join:
     * the lane's index gives the rows in order, and reading stops at the limit. What keeps the order is mostly the first of
     * its key, which the order by finds at once.
     */
    private static final String READY = """
            m.status operator(pg_catalog.=) 'pending'
                and m.lane operator(pg_catalog.=) %s
                and m.next_attempt_at <= statement_timestamp()
                and not coalesce((
                    select true
                    from {schema}.outbox_event as earlier
                    where earlier.status operator(pg_catalog.=) 'pending'
                        and earlier.ordering_key operator(pg_catalog.=) m.ordering_key
                        and earlier.sequence < m.sequence
                        and earlier.next_attempt_at > m.next_attempt_at
                    order by earlier.sequence
                    limit 1), false)""";

    /**
     * Locks lanes, in no order that two relays would share, until they hold enough messages. Two statements, because what
     * another relay has just marked is seen by one that begins after its lock is free, and not by the one that took the lock.
     * Both are right with the indexes whatever the statistics say, and those of a queue are always wrong: a plan that was
     * made while nothing waited, or from one key that holds up all others, read all that waits for each row of it.
     */
    private static final String TAKE = """
            set transaction isolation level read committed;
            set local enable_seqscan = off;
            set local enable_bitmapscan = off;
            select set_config('idle_in_transaction_session_timeout', cast(? as text), true),
                   set_config('idempotency.lanes', (
                with recursive pending_lane (lane) as (
                    select pg_catalog.min(lane)
                    from {schema}.outbox_event
                    where status operator(pg_catalog.=) 'pending'
                    union all
                    select (
                        select pg_catalog.min(m.lane)
                        from {schema}.outbox_event as m
                        where m.status operator(pg_catalog.=) 'pending' and m.lane operator(pg_catalog.>) pending_lane.lane)
                    from pending_lane
                    where pending_lane.lane is not null),
                shuffled (lane, position) as materialized (
                    select lane, row_number() over (order by random())
                    from pending_lane
                    where lane is not null),
                taken (position, lane, found) as (
                    select 0::bigint, null::smallint, 0::bigint
                    union all
                    select next.position,
                           case when next.locked then next.lane end,
                           taken.found + case when next.locked then next.ready else 0 end
                    from taken
                    cross join lateral (
                        select shuffled.position, shuffled.lane, counted.ready,
                               case when counted.ready > 0
                                   then pg_try_advisory_xact_lock(
                                       '{schema}.outbox_event'::regclass::oid::integer, shuffled.lane::integer)
                                   else false
                               end as locked
                        from shuffled
                        cross join lateral (
                            select count(*) as ready
                            from (
                                select 1
                                from {schema}.outbox_event as m
                                where %s
                                order by m.next_attempt_at, m.sequence
                                limit ?) as found) as counted
                        where shuffled.position = taken.position + 1
                        offset 0) as next
                    where taken.found < ?)
                select coalesce(pg_catalog.array_agg(lane), '{}')::text
                from taken
                where lane is not null), true);
            select m.sequence, m.predecessor, m.message_id, m.topic, m.message_type, m.ordering_key, m.aggregate_type,
                   m.aggregate_id, m.payload, m.header_names, m.header_values, m.idempotency_scope, m.caller,
                   m.idempotency_key, m.created_at, m.due_at, m.attempt_count
            from pg_catalog.unnest(current_setting('idempotency.lanes')::smallint[]) as taken (lane)
            cross join lateral (
                select m.*,
                       array(select key from pg_catalog.json_each_text(m.headers)) as header_names,
                       array(select value from pg_catalog.json_each_text(m.headers)) as header_values, (
                    select earlier.sequence
                    from {schema}.outbox_event as earlier
                    where earlier.status operator(pg_catalog.=) 'pending'
                        and earlier.ordering_key operator(pg_catalog.=) m.ordering_key
                        and earlier.sequence < m.sequence
                    order by earlier.sequence desc
                    limit 1) as predecessor
                from {schema}.outbox_event as m
                where %s
                order by m.next_attempt_at, m.sequence
                limit ?
                for update of m skip locked) as m
            order by m.sequence""".formatted(READY.formatted("shuffled.lane"), READY.formatted("taken.lane"));

    private static final int RESULTS_BEFORE_MESSAGES = 4;

    private static final String MARK = """
            update {schema}.outbox_event as m
            set status = d.status,
                attempt_count = m.attempt_count operator(pg_catalog.+) d.counted,
                last_error = coalesce(d.error, m.last_error),
                next_attempt_at = case
                    when d.status = 'pending' then t.now + d.delay::float8 * interval '1 millisecond'
                    else m.next_attempt_at
                end,
                sent_at = case when d.status = 'sent' then t.now end,
                expires_at = case when d.status = 'sent' then t.now + cast(? as float8) * interval '1 millisecond' end
            from (select clock_timestamp() as now) as t,
                 unnest(?::uuid[], ?::text[], ?::integer[], ?::bigint[], ?::text[])
                     as d (message_id, status, counted, delay, error)
            where m.message_id = d.message_id
            returning t.now""";

    /**
     * For messages that were published before the clock of the database was set back: by the new time they would wait until the
     * old one, and all behind them in their order. What is to be sent later keeps its time.
     */
    private static final String RELEASE_FROM_FUTURE = """
            update {schema}.outbox_event
            set next_attempt_at = clock_timestamp()
            where message_id = any (array(
                    select message_id
                    from {schema}.outbox_event
                    where status operator(pg_catalog.=) 'pending'
                        and next_attempt_at > statement_timestamp()
                        and created_at > statement_timestamp() and due_at = created_at
                    for update skip locked))""";

    /** Reads what waits until later, so it is not asked with each batch. */
    private static final Duration BETWEEN_RELEASES = Duration.ofMinutes(1);

    private static final String BACKLOG = """
            select count(*),
                   coalesce(extract(epoch from clock_timestamp() - min(due_at) filter (where due_at <= clock_timestamp())) * 1000.0, 0)::bigint,
                   (select count(*) from (select 1 from {schema}.outbox_event where status operator(pg_catalog.=) 'dead' limit ?) as dead)
            from (select due_at from {schema}.outbox_event where status operator(pg_catalog.=) 'pending' limit ?) as pending""";

    /** A row that is in the way may be purged before it is looked at. */
    private static final int MAX_TRIES = 3;

    private final Duration retention;

    private final String insert;

    private final String findDuplicate;

    private final String take;

    private final String mark;

    private final String backlog;

    private final String releaseFromFuture;

    private final AtomicLong nextRelease = new AtomicLong(System.nanoTime());

    private final RequiresNewTransaction transaction;

    OutboxEventTable(Schema schema, DataSource dataSource, Duration retention) {
        this.retention = retention;
        this.insert = schema.resolve(INSERT);
        this.findDuplicate = schema.resolve(FIND_DUPLICATE);
        this.take = schema.resolve(TAKE);
        this.mark = schema.resolve(MARK);
        this.backlog = schema.resolve(BACKLOG);
        this.releaseFromFuture = schema.resolve(RELEASE_FROM_FUTURE);
        this.transaction = RequiresNewTransaction.on(dataSource);
    }

    @Override
    public UUID record(Connection connection, NewMessage message) {
        try {
            for (int i = 0; i < MAX_TRIES; i++) {
                UUID id = insert(connection, message);
                if (id == null) {
                    id = findDuplicate(connection, message);
                }
                if (id != null) {
                    return id;
                }
            }
        } catch (SQLException failure) {
            throw SqlFailures.translate("record a message to send", insert, failure);
        }
        throw new CannotAcquireLockException("The deduplication key '"
                + message.message().deduplicationKey() + "' was in use and free again " + MAX_TRIES + " times");
    }

    private @Nullable UUID insert(Connection connection, NewMessage added) throws SQLException {
        OutboxMessage message = added.message();
        Instant notBefore = message.notBefore();
        try (PreparedStatement statement = connection.prepareStatement(insert)) {
            StatementParameters parameters = new StatementParameters(statement);
            parameters.uuid(added.id());
            parameters.string(message.topic());
            parameters.string(message.type());
            parameters.string(message.orderingKey());
            parameters.integer(added.lane());
            parameters.string(message.aggregateType());
            parameters.string(message.aggregateId());
            parameters.string(added.payload());
            parameters.texts(added.headers().keySet());
            parameters.texts(added.headers().values());
            parameters.string(message.deduplicationKey());
            parameters.intent(added.intent());
            parameters.time(notBefore == null ? null : notBefore.atOffset(ZoneOffset.UTC));
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() ? rows.getObject(1, UUID.class) : null;
            }
        }
    }

    /** Returns null if it is gone meanwhile. With a new statement, because that of the insert may have begun before it was there. */
    private @Nullable UUID findDuplicate(Connection connection, NewMessage added) throws SQLException {
        OutboxMessage message = added.message();
        try (PreparedStatement statement = connection.prepareStatement(findDuplicate)) {
            StatementParameters parameters = new StatementParameters(statement);
            parameters.string(message.type());
            parameters.string(added.payload());
            parameters.string(message.topic());
            parameters.string(message.deduplicationKey());
            try (ResultSet rows = statement.executeQuery()) {
                if (!rows.next()) {
                    return null;
                }
                UUID id = rows.getObject(1, UUID.class);
                if (!rows.getBoolean(2)) {
                    throw new DeduplicationKeyReusedException(
                            message.topic(), requireNonNull(message.deduplicationKey()), id);
                }
                return id;
            }
        }
    }

    @Override
    public SentBatch send(int limit, Duration bound, Function<List<OutboxRecord>, List<Delivery>> sending) {
        return transaction.call(connection -> {
            try {
                List<OutboxRecord> taken = take(connection, limit, bound);
                if (taken.isEmpty()) {
                    releaseFromFuture(connection);
                }
                List<Delivery> deliveries = taken.isEmpty() ? List.of() : sending.apply(taken);
                return new SentBatch(deliveries, deliveries.isEmpty() ? Instant.EPOCH : mark(connection, deliveries));
            } catch (SQLException failure) {
                throw SqlFailures.translate("send messages", take, failure);
            }
        });
    }

    private List<OutboxRecord> take(Connection connection, int limit, Duration bound) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(take)) {
            StatementParameters parameters = new StatementParameters(statement);
            parameters.string(Long.toString(bound.toMillis()));
            parameters.integer(limit);
            parameters.integer(limit);
            parameters.integer(limit);
            statement.execute();
            // Behind the settings, which are no results, and the lanes.
            for (int i = 0; i < RESULTS_BEFORE_MESSAGES; i++) {
                statement.getMoreResults();
            }
            try (ResultSet rows = statement.getResultSet()) {
                return inOrder(rows);
            }
        }
    }

    private void releaseFromFuture(Connection connection) throws SQLException {
        long now = System.nanoTime();
        long due = nextRelease.get();
        if (now - due < 0 || !nextRelease.compareAndSet(due, now + BETWEEN_RELEASES.toNanos())) {
            return;
        }
        try (PreparedStatement statement = connection.prepareStatement(releaseFromFuture)) {
            statement.executeUpdate();
        }
    }

    /**
     * What follows a message that was not taken has to wait for it: that may have to wait itself, somebody else may have
     * locked it, or it may be in a lane of somebody else's because the number of lanes has changed.
     */
    private static List<OutboxRecord> inOrder(ResultSet rows) throws SQLException {
        List<OutboxRecord> taken = new ArrayList<>();
        Set<Long> sequences = new HashSet<>();
        while (rows.next()) {
            long predecessor = rows.getLong(2);
            if (rows.wasNull() || sequences.contains(predecessor)) {
                sequences.add(rows.getLong(1));
                taken.add(map(rows));
            }
        }
        return taken;
    }

    private static OutboxRecord map(ResultSet row) throws SQLException {
        return new OutboxRecord(
                row.getObject(3, UUID.class),
                row.getString(4),
                row.getString(5),
                row.getString(6),
                row.getString(7),
                row.getString(8),
                row.getString(9),
                headers(row),
                IntentColumns.read(row),
                row.getObject(15, OffsetDateTime.class).toInstant(),
                row.getObject(16, OffsetDateTime.class).toInstant(),
                row.getInt(17) + 1);
    }

    private static Map<String, String> headers(ResultSet row) throws SQLException {
        String[] names = (String[]) row.getArray(10).getArray();
        String[] values = (String[]) row.getArray(11).getArray();
        Map<String, String> headers = new LinkedHashMap<>();
        for (int i = 0; i < names.length; i++) {
            if (values[i] != null) {
                headers.put(names[i], values[i]);
            }
        }
        return headers;
    }

    private Instant mark(Connection connection, List<Delivery> deliveries) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(mark)) {
            StatementParameters parameters = new StatementParameters(statement);
            parameters.duration(retention);
            parameters.array(
                    "uuid", deliveries.stream().map(d -> d.message().id()).toList());
            parameters.array(
                    "text",
                    deliveries.stream().map(d -> statusAfter(d.result())).toList());
            parameters.array(
                    "integer",
                    deliveries.stream()
                            .map(d -> d.result() == Delivery.Result.NOT_COUNTED ? 0 : 1)
                            .toList());
            parameters.array(
                    "bigint",
                    deliveries.stream().map(d -> d.retryAfter().toMillis()).toList());
            parameters.array("text", deliveries.stream().map(Delivery::error).toArray());
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                return rows.getObject(1, OffsetDateTime.class).toInstant();
            }
        }
    }

    private static String statusAfter(Delivery.Result result) {
        return switch (result) {
            case SENT -> "sent";
            case FAILED, NOT_COUNTED -> "pending";
            case DEAD -> "dead";
        };
    }

    @Override
    public Backlog backlog(int limit) {
        return transaction.call(Clients.withClient(jdbcClient -> jdbcClient
                .sql(backlog)
                .params(limit, limit)
                .query((row, number) ->
                        new Backlog(row.getInt(1), row.getInt(3), Duration.ofMillis(Math.max(0, row.getLong(2)))))
                .single()));
    }
}
