package io.idempotency.benchmarks;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;

import com.zaxxer.hikari.HikariDataSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

import static java.util.Objects.requireNonNull;

/** What work costs the server, seen from outside of the connections that do it. */
final class ServerCosts implements AutoCloseable {

    private static final Duration STATISTICS_TIMEOUT = Duration.ofSeconds(20);

    private static final long POLL_MILLIS = 5;

    private static final long REST_MILLIS = 50;

    private final SingleConnectionDataSource connection;

    private final JdbcTemplate admin;

    ServerCosts(BenchmarkServer server) throws SQLException {
        this.connection = new SingleConnectionDataSource(server.connect(), true);
        this.admin = new JdbcTemplate(connection);
    }

    /** Written by the whole server since it was created. */
    long walBytes() {
        return number(admin, "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint");
    }

    /**
     * Row versions that operations leave dead: those that were updated or deleted, whether or not they have been cleared
     * away since. The connections that are used are replaced.
     *
     * @param operations how often each is run, by one thread; each commits a transaction at least
     */
    Map<Entrant, Long> deadTuplesOf(Map<Entrant, Integer> operations) throws Exception {
        // What was done before must have arrived, or it would be counted with what follows.
        Map<Entrant, Long> committed = new LinkedHashMap<>();
        operations.keySet().forEach(entrant -> publish(entrant.contender().pool));
        awaitRest(operations.keySet());
        Map<Entrant, Long> before = new LinkedHashMap<>();
        for (Entrant entrant : operations.keySet()) {
            before.put(entrant, deadTuples(entrant));
            committed.put(entrant, committed(entrant));
        }
        for (Map.Entry<Entrant, Integer> entry : operations.entrySet()) {
            for (int i = 0; i < entry.getValue(); i++) {
                entry.getKey().operation().run();
            }
            publish(entry.getKey().contender().pool);
        }
        for (Map.Entry<Entrant, Integer> entry : operations.entrySet()) {
            awaitCommitted(entry.getKey(), requireNonNull(committed.get(entry.getKey())) + entry.getValue());
        }
        awaitRest(operations.keySet());
        Map<Entrant, Long> dead = new LinkedHashMap<>();
        for (Entrant entrant : operations.keySet()) {
            dead.put(entrant, deadTuples(entrant) - requireNonNull(before.get(entrant)));
        }
        return dead;
    }

    /** A backend tells its last statistics when it ends. */
    private static void publish(HikariDataSource pool) {
        pool.getHikariPoolMXBean().softEvictConnections();
    }

    private void awaitCommitted(Entrant entrant, long transactions) throws InterruptedException {
        long deadline = System.nanoTime() + STATISTICS_TIMEOUT.toNanos();
        while (committed(entrant) < transactions) {
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("The statistics of " + entrant.name() + " do not tell of its calls");
            }
            Thread.sleep(POLL_MILLIS);
        }
    }

    /** Until no more statistics arrive; those of idle backends may, but are those of no call. */
    private void awaitRest(Collection<Entrant> entrants) throws InterruptedException {
        long deadline = System.nanoTime() + STATISTICS_TIMEOUT.toNanos();
        long before = -1;
        long now = committed(entrants);
        while (now != before && System.nanoTime() - deadline < 0) {
            Thread.sleep(REST_MILLIS);
            before = now;
            now = committed(entrants);
        }
    }

    private long committed(Collection<Entrant> entrants) {
        return entrants.stream().mapToLong(this::committed).sum();
    }

    private long committed(Entrant entrant) {
        return number(
                admin,
                "select xact_commit from pg_stat_database where datname = ?",
                BenchmarkServer.qualified(entrant.contender().database()));
    }

    private static long deadTuples(Entrant entrant) {
        return number(
                entrant.contender().admin,
                "select coalesce(sum(n_tup_upd + n_tup_del), 0)::bigint from pg_stat_user_tables");
    }

    private static long number(JdbcTemplate jdbc, String sql, Object... arguments) {
        Long number = jdbc.queryForObject(sql, Long.class, arguments);
        if (number == null) {
            throw new IllegalStateException("No answer to " + sql);
        }
        return number;
    }

    @Override
    public void close() {
        connection.destroy();
    }
}
