package io.idempotency.internal.postgres.partition;

/** The statements of the partitions of {@code processed_message} and of their catalog. */
final class PartitionSql {

    static final String EXIST = """
            select exists (
                select 1
                from pg_catalog.pg_class as c
                join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
                where n.nspname = '{name}' and c.relname = 'processed_message' and c.relkind = 'p')""";

    static final String BOUND_LOCK_WAIT = "set local lock_timeout = '500ms'";

    static final String HOLDS_ROWS = "select exists (select 1 from {schema}.processed_message)";

    static final String NOW = "select clock_timestamp()";

    static final String PARTITION = "select {schema}.partition_processed_message(?, ?)";

    static final String FIND_LAST = """
            select clock_timestamp() as now, greatest(max(ends_at), '-infinity') as last_end,
                   count(*) filter (where starts_at > clock_timestamp()) as ahead
            from {schema}.processed_message_partition""";

    static final String ADD = "select {schema}.add_processed_message_partition(?, ?)";

    /**
     * If the partition is ten minutes overdue, closing is tried in the first seconds of each minute in spite of lock holders,
     * because those may never end. The first attempt lasts as long as those seconds, and no other instance tries meanwhile, so
     * that callers do not wait for each instance in turn.
     */
    static final String FIND_PASSED = """
            select open.name, coalesce(next.starts_at, 'infinity') as next_from, coalesce(next.ends_at, 'infinity') as next_until,
                   late.seconds >= 600.0 and mod(late.seconds, 60.0) < 3.0 as insistent
            from {schema}.processed_message_head as head
            join {schema}.processed_message_partition as open
                on open.starts_at = head.open_from
            left join {schema}.processed_message_partition as next
                on next.starts_at <= clock_timestamp() and next.ends_at > clock_timestamp()
            cross join lateral (
                select coalesce(extract(epoch from clock_timestamp() - nullif(head.open_until, '-infinity')), 0)) as late (seconds)
            where head.open_until <= clock_timestamp()""";

    /**
     * Finds lock holders. A transaction that has written and does not end would make all others wait for nothing. So would a
     * vacuum: PostgreSQL cancels an automatic one only for a session that has waited longer than deadlock_timeout, a second by
     * default. The start of a transaction is null if the role may not see it or the transaction is prepared.
     */
    static final String FIND_LOCK_HOLDERS = """
            select l.virtualtransaction,
                   bool_or(l.mode <> 'RowExclusiveLock' or a.xact_start < clock_timestamp() - interval '1 second') as in_the_way
            from pg_catalog.pg_locks as l
            left join pg_catalog.pg_stat_activity as a on a.pid = l.pid
            where l.locktype = 'relation' and l.granted and l.relation = '{schema}.{partition}'::regclass::oid
                and l.database = (select oid from pg_catalog.pg_database where datname = current_database())
                and l.pid is distinct from pg_backend_pid()
                and l.mode in ('RowExclusiveLock', 'ShareUpdateExclusiveLock', 'ShareLock', 'ShareRowExclusiveLock',
                    'ExclusiveLock', 'AccessExclusiveLock')
            group by l.virtualtransaction""";

    /** All callers wait for the lock holder, so an instance that stands still must not keep the lock for long. */
    static final String LIMIT_WAIT = """
            select set_config('lock_timeout', cast(? as text), true), set_config('idle_in_transaction_session_timeout', '2s', true)""";

    static final String CLOSE = """
            create trigger closed before insert on {schema}.{partition}
            for each row execute function {schema}.processed_message_refuse()""";

    static final String OPEN_NEXT = "update {schema}.processed_message_head set open_from = ?, open_until = ?";

    /** The partitions between the two were never open. */
    static final String NOTE_CLOSED = """
            update {schema}.processed_message_partition
            set closed_at = clock_timestamp()
            where closed_at is null and ends_at <= ?""";

    static final String FIND_CLOSED = """
            select name
            from {schema}.processed_message_partition
            where closed_at is not null and expires_at is null
            order by starts_at""";

    static final String NOTE_EXPIRY = """
            update {schema}.processed_message_partition
            set expires_at = coalesce((select max(expires_at) from {schema}.{partition}), '-infinity')
            where name = '{partition}' and expires_at is null""";

    static final String FIND_DETACH_PENDING = """
            select part.relname
            from pg_catalog.pg_inherits as i
            join pg_catalog.pg_class as part on part.oid = i.inhrelid
            where i.inhparent = '{schema}.processed_message'::regclass::oid and i.inhdetachpending""";

    static final String FINALIZE_DETACH =
            "alter table {schema}.processed_message detach partition {schema}.{partition} finalize";

    /**
     * Leaves out a partition while a transaction is open that began before it was closed: that transaction may still be routed to
     * the partition, and its trigger must refuse it. A transaction whose start the role may not see is not waited for.
     */
    static final String FIND_EXPIRED = """
            select p.name, exists (
                       select 1
                       from pg_catalog.pg_inherits as i
                       where i.inhrelid = to_regclass('{schema}.' || quote_ident(p.name))::oid) as attached
            from {schema}.processed_message_partition as p
            where p.expires_at < statement_timestamp() and p.closed_at is not null
                and not exists (
                    select 1
                    from pg_catalog.pg_stat_activity as a
                    where a.datname = current_database()
                        and a.pid <> pg_backend_pid()
                        and a.xact_start < p.closed_at)
            order by p.starts_at""";

    static final String DETACH =
            "alter table {schema}.processed_message detach partition {schema}.{partition} concurrently";

    static final String DROP = "drop table if exists {schema}.{partition}";

    static final String ARCHIVED_EXISTS = "select to_regclass('{schema}.{archived}') is not null";

    static final String OID = "select coalesce(to_regclass('{schema}.{partition}')::oid, 0)";

    /** Frees the name, and the new one says what the table is. */
    static final String RENAME = "alter table if exists {schema}.{partition} rename to {archived}";

    static final String DELETE = "delete from {schema}.processed_message_partition where name = cast(? as text)";

    static final String FIND_STATE = """
            select known.partitions, known.ahead,
                   coalesce((extract(epoch from statement_timestamp() - nullif(head.open_until, '-infinity')) * 1000.0)::bigint, 0) as overdue,
                   exists (
                       select 1
                       from pg_catalog.pg_inherits as i
                       where i.inhparent = parent.oid and i.inhdetachpending) as detach_pending,
                   head.open_from > statement_timestamp() as clock_back,
                   known.remaining, known.unread
            from pg_catalog.pg_class as parent
            cross join {schema}.processed_message_head as head
            cross join (
                select count(*) as partitions,
                       count(*) filter (where p.starts_at > statement_timestamp()) as ahead,
                       (pg_catalog.array_agg(p.name order by p.expires_at) filter (
                           where greatest(p.expires_at, p.closed_at) < statement_timestamp() - interval '1 hour'
                               and p.expires_at is not null))[1] as remaining,
                       (pg_catalog.array_agg(p.name order by p.starts_at) filter (
                           where p.closed_at < statement_timestamp() - interval '1 hour' and p.expires_at is null))[1] as unread
                from {schema}.processed_message_partition as p) as known
            where parent.oid = to_regclass('{schema}.processed_message')::oid and parent.relkind = 'p'""";

    /** Counts whole partitions only, because nothing says which of their rows have expired before. */
    static final String FIND_OLDEST_EXPIRED = """
            select coalesce((extract(epoch from statement_timestamp() - min(greatest(expires_at, closed_at))) * 1000.0)::bigint, 0)
            from {schema}.processed_message_partition
            where expires_at < statement_timestamp()""";

    private PartitionSql() {}
}
