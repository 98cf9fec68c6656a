package io.idempotency.postgres;

import org.springframework.jdbc.core.simple.JdbcClient;

/** Who is in the way of an exclusive lock, and will be for longer. */
final class TableHolders {

    /**
     * Who does not come to an end would have all others wait for nothing, and so would a vacuum, which waits for nobody. In the
     * first second of each minute it is tried all the same, because somebody may always be there. How long a transaction
     * lasts is hidden from who may not look at another's role; it is tried then.
     */
    private static final String ARE_THERE = """
            select extract(second from clock_timestamp()) >= 1.0 and exists (
                select 1
                from pg_catalog.pg_locks as l
                join pg_catalog.pg_stat_activity as a on a.pid = l.pid
                where l.locktype = 'relation' and l.granted
                    and l.relation in ('{schema}.{parent}'::regclass::oid, '{schema}.{parent}_rest'::regclass::oid)
                    and l.database = (select oid from pg_catalog.pg_database where datname = current_database())
                    and l.pid <> pg_backend_pid()
                    and (a.xact_start < clock_timestamp() - interval '1 second' or l.mode = 'ShareUpdateExclusiveLock'))""";

    private final String areThere;

    TableHolders(Schema schema, String parent) {
        this.areThere = schema.resolve(ARE_THERE).replace("{parent}", parent);
    }

    boolean areThere(JdbcClient jdbcClient) {
        return jdbcClient.sql(areThere).query(Boolean.class).single();
    }
}
