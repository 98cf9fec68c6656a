package io.idempotency.internal.postgres;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;

import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

import io.idempotency.BlockedClaims;
import io.idempotency.BlockedClaims.BlockedClaim;
import io.idempotency.internal.postgres.jdbc.Schema;

/** Which backends wait with a statement of the library. Needs no right that every role does not have. */
final class BlockedBackends {

    private static final String FIND = """
            select a.pid, a.application_name, a.query_start, u.pid, b.application_name, b.state, b.xact_start
            from (
                select pid, application_name, query_start, pg_blocking_pids(pid) as blockers
                from pg_catalog.pg_stat_activity
                where datname = current_database() and wait_event_type = 'Lock'
                    and (strpos(query, 'idempotency_') > 0 or strpos(query, 'processed_message') > 0)
                order by query_start
                limit ?) as a
            cross join lateral pg_catalog.unnest(a.blockers) as u (pid)
            left join pg_catalog.pg_stat_activity as b on b.pid = u.pid
            order by a.query_start, a.pid
            limit ?""";

    /** As PostgreSQL shows the statement of a role that one is not a member of. */
    private static final String COUNT_HIDDEN = """
            select count(*)
            from pg_catalog.pg_stat_activity
            where datname = current_database() and query = '<insufficient privilege>'""";

    private final String find;

    BlockedBackends(Schema schema) {
        this.find = schema.resolve(FIND);
    }

    BlockedClaims find(JdbcClient jdbcClient, int limit) {
        return new BlockedClaims(
                jdbcClient
                        .sql(find)
                        .params(limit, limit)
                        .query((row, number) -> map(row))
                        .list(),
                jdbcClient.sql(COUNT_HIDDEN).query(Integer.class).single());
    }

    private static BlockedClaim map(ResultSet row) throws SQLException {
        return new BlockedClaim(
                row.getInt(1),
                row.getString(2),
                row.getObject(3, OffsetDateTime.class).toInstant(),
                row.getInt(4),
                row.getString(5),
                row.getString(6),
                instant(row.getObject(7, OffsetDateTime.class)));
    }

    private static @Nullable Instant instant(@Nullable OffsetDateTime time) {
        return time == null ? null : time.toInstant();
    }
}
