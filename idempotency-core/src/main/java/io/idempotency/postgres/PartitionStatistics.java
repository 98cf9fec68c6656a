package io.idempotency.postgres;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

import io.idempotency.retention.PartitionState;

/** How partitions are, without reading them, and what somebody has to look at. */
final class PartitionStatistics {

    /**
     * Partitions by expiry are ahead behind the last one that has ever held anything, which depends on the longest retention in
     * use: those up to there are no reserve. If the last one holds something, none is ahead; what was rolled back there does not
     * count, though it takes space. A partition is too long if it is so beside both of its neighbours; where the length was
     * changed, it is beside one.
     */
    private static final String STATES = """
            select parent.name, known.partitions,
                   case when rest.used then 0 else known.ahead end,
                   coalesce((extract(epoch from statement_timestamp() - head.open_until) * 1000.0)::bigint, 0),
                   exists (
                       select 1
                       from pg_catalog.pg_inherits as i
                       where i.inhparent = parent.id::oid and i.inhdetachpending),
                   coalesce(head.open_from > statement_timestamp(), false),
                   rest.used,
                   parent.name = 'outbox_event_sent' and to_regclass('{schema}.outbox_event_before') is not null,
                   known.remaining, long.leaf
            from (
                select t.name, to_regclass('{schema}.' || t.name) as id
                from pg_catalog.unnest(array['processed_message', 'outbox_event_sent']) as t (name)) as parent
            join pg_catalog.pg_class as c on c.oid = parent.id::oid and c.relkind = 'p'
            cross join lateral (
                select coalesce(
                    pg_stat_get_live_tuples(to_regclass('{schema}.' || parent.name || '_rest')::oid) > 0, false) as used) as rest
            cross join lateral (
                select count(*) as partitions,
                       count(*) filter (
                           where p.starts_at > statement_timestamp()
                               and (parent.name = 'processed_message' or p.starts_at >= coalesce((
                                   select max(used.ends_at)
                                   from {schema}.storage_partition as used
                                   where used.parent = parent.name
                                       and pg_relation_size(to_regclass('{schema}.' || quote_ident(used.leaf))) > 0),
                                   '-infinity'))) as ahead,
                       (pg_catalog.array_agg(p.leaf order by p.expires_at) filter (
                           where greatest(p.expires_at, p.sealed_at) < statement_timestamp() - interval '1 hour'
                               and p.expires_at is not null))[1] as remaining
                from {schema}.storage_partition as p
                where p.parent = parent.name) as known
            left join lateral (
                select p.leaf
                from (
                    select k.leaf, k.starts_at, k.ends_at, k.ends_at - k.starts_at as length,
                           pg_catalog.lag(k.ends_at - k.starts_at) over (order by k.starts_at) as before,
                           pg_catalog.lead(k.ends_at - k.starts_at) over (order by k.starts_at) as behind
                    from {schema}.storage_partition as k
                    where k.parent = parent.name and parent.name <> 'processed_message'
                        and k.starts_at > '-infinity') as p
                where p.length > p.before + p.before and p.length > p.behind + p.behind and p.ends_at > statement_timestamp()
                    and pg_stat_get_live_tuples(to_regclass('{schema}.' || quote_ident(p.leaf))::oid) > 0
                order by p.starts_at
                limit 1) as long on true
            left join lateral (
                select h.open_from, nullif(h.open_until, '-infinity') as open_until
                from {schema}.processed_message_head as h
                where parent.name = 'processed_message') as head on true
            order by parent.name""";

    private final String states;

    PartitionStatistics(Schema schema) {
        this.states = schema.resolve(STATES);
    }

    List<PartitionState> find(JdbcClient jdbcClient) {
        return jdbcClient
                .sql(states)
                .query((row, number) -> new PartitionState(
                        row.getString(1),
                        row.getInt(2),
                        row.getInt(3),
                        Duration.ofMillis(Math.max(0, row.getLong(4))),
                        row.getBoolean(5),
                        problems(
                                row.getString(1),
                                row.getBoolean(6),
                                row.getBoolean(7),
                                row.getBoolean(8),
                                row.getString(9),
                                row.getString(10))))
                .list();
    }

    private static List<String> problems(
            String table,
            boolean isClockBack,
            boolean isRestUsed,
            boolean isNotAttached,
            @Nullable String remaining,
            @Nullable String tooLong) {
        List<String> problems = new ArrayList<>();
        if (isClockBack) {
            problems.add("the open partition begins in the future, because the clock was set back: nothing is sealed or"
                    + " forgotten until then");
        }
        if (isRestUsed) {
            problems.add(
                    table + "_rest holds rows, which are never forgotten there: an instance has to make partitions");
        }
        if (isNotAttached) {
            problems.add("outbox_event_before is not attached, and its messages are never forgotten: call"
                    + " check_outbox_event_before() and attach_outbox_event_before() as the owner of the tables");
        }
        if (remaining != null) {
            problems.add(
                    remaining + " should have gone an hour ago: the log of the instance that maintains partitions says"
                            + " why not, unless a transaction has been open since before its end");
        }
        if (tooLong != null) {
            problems.add(
                    tooLong + " is for much longer than others and holds rows, which are kept until its end: it was not"
                            + " divided before they came, because the maintenance did not run or there are too many partitions");
        }
        return problems;
    }
}
