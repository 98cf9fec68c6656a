package io.idempotency.internal.postgres;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.retention.PartitionState;

/** How partitions are, without reading them, and what somebody has to look at. */
final class PartitionStatistics {

    private static final String STATE = """
            select known.partitions, known.ahead,
                   coalesce((extract(epoch from statement_timestamp() - nullif(head.open_until, '-infinity')) * 1000.0)::bigint, 0),
                   exists (
                       select 1
                       from pg_catalog.pg_inherits as i
                       where i.inhparent = parent.oid and i.inhdetachpending),
                   head.open_from > statement_timestamp(),
                   known.remaining
            from pg_catalog.pg_class as parent
            cross join {schema}.processed_message_head as head
            cross join (
                select count(*) as partitions,
                       count(*) filter (where p.starts_at > statement_timestamp()) as ahead,
                       (pg_catalog.array_agg(p.name order by p.expires_at) filter (
                           where greatest(p.expires_at, p.closed_at) < statement_timestamp() - interval '1 hour'
                               and p.expires_at is not null))[1] as remaining
                from {schema}.processed_message_partition as p) as known
            where parent.oid = to_regclass('{schema}.processed_message')::oid and parent.relkind = 'p'""";

    private final String state;

    PartitionStatistics(Schema schema) {
        this.state = schema.resolve(STATE);
    }

    List<PartitionState> find(JdbcClient jdbcClient) {
        return jdbcClient
                .sql(state)
                .query((row, number) -> new PartitionState(
                        MessagePartitions.TABLE,
                        row.getInt(1),
                        row.getInt(2),
                        Duration.ofMillis(Math.max(0, row.getLong(3))),
                        row.getBoolean(4),
                        problems(row.getBoolean(5), row.getString(6))))
                .list();
    }

    private static List<String> problems(boolean isClockBack, @Nullable String remaining) {
        List<String> problems = new ArrayList<>();
        if (isClockBack) {
            problems.add("the open partition begins in the future, because the clock was set back: nothing is closed or"
                    + " forgotten until then");
        }
        if (remaining != null) {
            problems.add(
                    remaining + " should have gone an hour ago: the log of the instance that maintains partitions says"
                            + " why not, unless a transaction has been open since before its end");
        }
        return problems;
    }
}
