package io.idempotency.internal.postgres.administration;

import java.sql.ResultSet;
import java.sql.SQLException;

import org.springframework.jdbc.core.simple.JdbcClient;

import io.idempotency.BlockedClaims;
import io.idempotency.BlockedClaims.BlockedClaim;
import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.jdbc.TimeColumns;

/**
 * The query for backends that wait for a lock in a statement of the library, which qualifies every table with the quoted
 * schema, or in one of its SQL functions. Every role may run it.
 */
final class BlockedBackends {

    private static final String FIND = """
            select a.pid, a.application_name, a.query_start, u.pid as blocker_pid, b.application_name as blocker_name,
                   b.state as blocker_state, b.xact_start as blocker_start
            from (
                select pid, application_name, query_start, pg_blocking_pids(pid) as blockers
                from pg_catalog.pg_stat_activity
                where datname = current_database() and wait_event_type = 'Lock'
                    and (strpos(query, '{schema}.') > 0 or strpos(query, 'idempotency_') > 0)
                order by query_start
                limit ?) as a
            cross join lateral pg_catalog.unnest(a.blockers) as u (pid)
            left join pg_catalog.pg_stat_activity as b on b.pid = u.pid
            order by a.query_start, a.pid
            limit ?""";

    /** PostgreSQL shows this text for the statement of a role that the current role is not a member of. */
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
                row.getInt("pid"),
                row.getString("application_name"),
                TimeColumns.read(row, "query_start"),
                row.getInt("blocker_pid"),
                row.getString("blocker_name"),
                row.getString("blocker_state"),
                TimeColumns.readOrNull(row, "blocker_start"));
    }
}
