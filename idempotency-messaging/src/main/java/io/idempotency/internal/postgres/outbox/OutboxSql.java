package io.idempotency.internal.postgres.outbox;

import io.idempotency.internal.outbox.Lanes;
import io.idempotency.internal.postgres.jdbc.DurableCommit;
import io.idempotency.internal.postgres.jdbc.MultiStatement;
import io.idempotency.internal.postgres.jdbc.TransactionLimits;
import io.idempotency.internal.postgres.jdbc.WaitBound;

/** The statements of the table {@code outbox_event}, and of the notifications about it. */
final class OutboxSql {

    static final String INSERT = """
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
                from (select clock_timestamp() as now, %s) c) t
            on conflict (topic, deduplication_key) do nothing
            returning message_id""".replace("%s", DurableCommit.SET);

    /** The milliseconds that a message has been due. PostgreSQL has no difference to an infinite time. */
    static final String WAITED = "(extract(epoch from statement_timestamp()"
            + " - least(greatest(due_at, timestamptz 'epoch'), statement_timestamp())) * 1000.0)::bigint";

    /** PostgreSQL cannot compare all JSON. */
    static final String FIND_DUPLICATE = """
            select m.message_id, m.message_type, m.payload::text as payload
            from {schema}.outbox_event as m
            where m.topic operator(pg_catalog.=) cast(? as text)
                and m.deduplication_key operator(pg_catalog.=) cast(? as text)""";

    /** The columns that {@link SearchFloor} reads of a search, around the time of the first pending message that was found. */
    static final String BEFORE_FIRST = """
            cast(cast(pg_snapshot_xmin(pg_current_snapshot()) as text) as bigint) as oldest_open,
            case when cast(? as integer) = 1 then cast(cast(pg_current_xact_id() as text) as bigint) end as transaction_number,
            statement_timestamp() as searched_at,
            greatest(timestamptz 'epoch', least(statement_timestamp(),
            """;

    static final String AFTER_FIRST = ")) as first_pending_at";

    /**
     * A message is ready if it is due and no earlier message of its ordering key is to be tried later, or by others. A subquery and not an
     * anti-join: the lane's index gives the rows in order, and reading stops at the limit. The message that holds the others up
     * is mostly the first one of its key, which the ORDER BY finds first.
     */
    private static final String READY = """
            m.status operator(pg_catalog.=) 'pending'
                and m.lane operator(pg_catalog.=) %s
                and m.next_attempt_at >= {floor}
                and m.next_attempt_at <= statement_timestamp(){topic}
                and not coalesce((
                    select true
                    from {schema}.outbox_event as earlier
                    where earlier.status operator(pg_catalog.=) 'pending'
                        and earlier.ordering_key operator(pg_catalog.=) m.ordering_key
                        and earlier.sequence < m.sequence
                        and (earlier.next_attempt_at > m.next_attempt_at{earlier topic})
                    order by earlier.sequence
                    limit 1), false)""";

    /**
     * Locks lanes in random order until they hold enough messages. Two statements, because the marks of another relay are seen by
     * a statement that begins after the lock is free, and not by the one that takes the lock. Both must use the indexes,
     * because the statistics of a queue are always wrong: a plan that was made while nothing waited, or from one key that holds
     * up all others, reads all waiting messages for each row.
     */
    private static final String TAKE = """
            set transaction isolation level read committed;
            set local enable_seqscan = off;
            set local enable_bitmapscan = off;
            %4$s, set_config('idempotency.floor', cast(? as text), true);
            with recursive pending_lane (lane, first_attempt_at) as (
                    (select lane, next_attempt_at
                    from {schema}.outbox_event
                    where status operator(pg_catalog.=) 'pending' and lane operator(pg_catalog.<) %1$s::smallint
                        and next_attempt_at >= {floor}
                    order by lane, next_attempt_at
                    limit 1)
                    union all
                    select next.lane, next.next_attempt_at
                    from pending_lane
                    cross join lateral (
                        select m.lane, m.next_attempt_at
                        from {schema}.outbox_event as m
                        where m.status operator(pg_catalog.=) 'pending' and m.lane operator(pg_catalog.>) pending_lane.lane
                            and m.lane operator(pg_catalog.<) %1$s::smallint
                            and m.next_attempt_at >= {floor}
                        order by m.lane, m.next_attempt_at
                        limit 1) as next),
                shuffled (lane, position) as materialized (
                    select lane, row_number() over (order by random())
                    from pending_lane),
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
                                where %2$s
                                order by m.next_attempt_at, m.sequence
                                limit ?) as found) as counted
                        where shuffled.position = taken.position + 1
                        offset 0) as next
                    where taken.found < ?)
            select set_config('idempotency.lanes', (
                       select coalesce(pg_catalog.array_agg(lane), '{}')::text
                       from taken
                       where lane is not null), true),
                   {found}(select pg_catalog.min(first_attempt_at) from pending_lane){end of found};
            select m.sequence, m.predecessor, m.message_id, m.topic, m.message_type, m.ordering_key, m.aggregate_type,
                   m.aggregate_id, m.payload, m.headers::text as headers, m.idempotency_scope, m.caller,
                   m.idempotency_key, m.created_at, m.due_at, m.attempt_count, m.waited
            from pg_catalog.unnest(current_setting('idempotency.lanes')::smallint[]) as taken (lane)
            cross join lateral (
                select m.*, {waited} as waited, (
                    select earlier.sequence
                    from {schema}.outbox_event as earlier
                    where earlier.status operator(pg_catalog.=) 'pending'
                        and earlier.ordering_key operator(pg_catalog.=) m.ordering_key
                        and earlier.sequence < m.sequence
                    order by earlier.sequence desc
                    limit 1) as predecessor
                from {schema}.outbox_event as m
                where %3$s
                order by m.next_attempt_at, m.sequence
                limit ?
                for update of m skip locked) as m
            order by m.sequence""".formatted(
                    Lanes.OF_RESUMPTIONS,
                    READY.formatted("shuffled.lane"),
                    READY.formatted("taken.lane"),
                    TransactionLimits.select("'5min'", "cast(? as text)"))
            .replace("{waited}", WAITED)
            .replace("{found}", BEFORE_FIRST)
            .replace("{end of found}", AFTER_FIRST)
            .replace("{floor}", "cast(current_setting('idempotency.floor') as timestamptz)");

    /** Read once for a statement. */
    private static final String TOPICS_OF_OTHERS = "(array(select name from {schema}.owner"
            + " where kind = 'topic' and application <> '' and application <> cast(? as text)))";

    /** The messages of all topics but those that belong to another application. */
    static final String TAKE_ALL = TAKE.replace(
                    "{topic}", " and m.topic operator(pg_catalog.<>) all " + TOPICS_OF_OTHERS)
            .replace("{earlier topic}", " or earlier.topic operator(pg_catalog.=) any " + TOPICS_OF_OTHERS);

    static final String TAKE_TOPICS = TAKE.replace("{topic}", " and m.topic operator(pg_catalog.=) any (?)")
            .replace("{earlier topic}", " or earlier.topic operator(pg_catalog.<>) all (?)");

    static final String MARK = """
            update {schema}.outbox_event as m
            set status = d.status,
                attempt_count = least(m.attempt_count, 1000000000) operator(pg_catalog.+) d.counted,
                last_error = coalesce(d.error, m.last_error),
                next_attempt_at = case
                    when d.status = 'pending' then t.now + d.delay::float8 * interval '1 millisecond'
                    else m.next_attempt_at
                end,
                sent_at = case when d.status = 'sent' then t.now end,
                expires_at = case when d.status = 'sent' then t.now + cast(? as float8) * interval '1 millisecond' end
            from (select clock_timestamp() as now) as t,
                 unnest(?::uuid[], ?::text[], ?::integer[], ?::bigint[], ?::text[], ?::integer[])
                     as d (message_id, status, counted, delay, error, attempt)
            where m.message_id = d.message_id
                and m.status operator(pg_catalog.=) 'pending' and greatest(m.attempt_count, 0) operator(pg_catalog.=) d.attempt
            returning t.now as marked_at""";

    /** Marks the messages of a batch whose transaction has failed, unless another relay has marked them since. */
    static final String MARK_LATER = MultiStatement.transaction(WaitBound.BRIEFLY + MARK);

    /**
     * Releases messages that were published before the clock of the database was set back: they would wait until the old time,
     * and so would all messages behind them in their order. A message that is to be sent later keeps its time.
     */
    static final String RELEASE_FROM_FUTURE = """
            update {schema}.outbox_event
            set next_attempt_at = clock_timestamp()
            where message_id = any (array(
                    select message_id
                    from {schema}.outbox_event
                    where status operator(pg_catalog.=) 'pending'
                        and next_attempt_at > statement_timestamp()
                        and created_at > statement_timestamp() and due_at = created_at
                    for update skip locked))""";

    static final String BACKLOG =
            TransactionLimits.select("'5min'", "'30s'") + """
            ;
            select coalesce(sum(number), 0) as pending,
                   coalesce(extract(epoch from clock_timestamp() - min(oldest)) * 1000.0, 0)::bigint as oldest_due,
                   coalesce((pg_catalog.array_agg(topic order by topic) filter (where oldest < clock_timestamp() - interval '1 minute'))[1:10], '{}') as late_topics,
                   {topics of others} as topics_of_others,
                   (select count(*) from (select 1 from {schema}.outbox_event where status operator(pg_catalog.=) 'dead' limit ?) as dead) as dead
            from (
                select topic, count(*) as number, min(greatest(due_at, timestamptz 'epoch')) filter (where due_at <= clock_timestamp()) as oldest
                from (select due_at, topic from {schema}.outbox_event where status operator(pg_catalog.=) 'pending' limit ?) as pending
                group by topic) as of_topics""".replace("{topics of others}", TOPICS_OF_OTHERS);

    /** Finds the message that another one waits for by the index of the order, and only for messages that are returned. */
    static final String FIND_PENDING = """
            select message_id, topic, message_type, ordering_key, attempt_count, last_error, idempotency_scope, caller,
                   idempotency_key, created_at, due_at, next_attempt_at, (
                select earlier.message_id
                from {schema}.outbox_event as earlier
                where earlier.status operator(pg_catalog.=) 'pending'
                    and earlier.ordering_key operator(pg_catalog.=) m.ordering_key
                    and earlier.sequence < m.sequence
                order by earlier.sequence
                limit 1) as waits_for
            from (
                select *
                from {schema}.outbox_event
                where status operator(pg_catalog.=) 'pending'
                order by sequence
                limit ?) as m
            order by sequence""";

    static final String FIND_DEAD = """
            select message_id, topic, message_type, ordering_key, attempt_count, last_error, idempotency_scope, caller,
                   idempotency_key, created_at
            from {schema}.outbox_event
            where status operator(pg_catalog.=) 'dead'
            order by sequence
            limit ?""";

    static final String REQUEUE = """
            update {schema}.outbox_event
            set status = 'pending', attempt_count = 0, next_attempt_at = clock_timestamp()
            where message_id = ? and status operator(pg_catalog.=) 'dead'""";

    static final String FIND_STATUS = """
            select status
            from {schema}.outbox_event
            where message_id = ?""";

    /** Contains the table's oid, because a name could be too long. */
    private static final String CHANNEL = "'idempotency_outbox_' || '{schema}.outbox_event'::regclass::oid::text";

    static final String NOTIFY = "select 1 from pg_notify(" + CHANNEL + ", '')";

    /** A session that listens is idle on purpose. */
    static final String FIND_CHANNEL = "select " + CHANNEL + " as channel,"
            + " current_setting('idle_session_timeout') as idle, set_config('idle_session_timeout', '0', false)";

    static final String LISTEN = "listen ";

    static final String UNLISTEN = "unlisten *; set idle_session_timeout = ";

    private OutboxSql() {}
}
