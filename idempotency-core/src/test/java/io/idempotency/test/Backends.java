package io.idempotency.test;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import org.awaitility.Awaitility;
import org.postgresql.PGConnection;
import org.springframework.jdbc.core.DataClassRowMapper;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The server's view of one database's connections: who waits for whom, and killing one. A test that waits until a call
 * is really blocked needs no pause that is either too short or too long.
 */
public final class Backends {

    /** The application name of connections that are not shown, because no test is about them. */
    static final String OBSERVER = "test-observer";

    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private static final String ACTIVITY = """
            select pid, coalesce(application_name, '') as application_name, coalesce(state, '') as state,
                   coalesce(wait_event_type, '') as wait_event_type, coalesce(wait_event, '') as wait_event,
                   backend_xid is not null as writing, coalesce(query, '') as query
            from pg_stat_activity
            where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
            order by pid""";

    /** A backend of the coordinator that waits for a lock at a worker waits, as it sees it, for the network. */
    private static final String ACTIVITY_OF_CLUSTER =
            ACTIVITY.replace("coalesce(wait_event_type, '') as wait_event_type", """
            case when pid in (select waiting_gpid % 10000000000 from citus_lock_waits) then 'Lock'
                 else coalesce(wait_event_type, '') end as wait_event_type""");

    private static final String LOCKS = """
            select pid, locktype as type, coalesce(relation::regclass::text, '') as relation, mode, granted
            from pg_locks
            where pid in (select pid from pg_stat_activity where datname = current_database())
              and pid <> pg_backend_pid()
            order by pid, locktype, mode""";

    private final DataSource admin;
    private final List<HikariDataSource> pools;
    private final JdbcTemplate jdbc;
    private final String activity;

    Backends(DataSource admin, HikariDataSource observers, List<HikariDataSource> pools, boolean isCluster) {
        this.admin = admin;
        this.pools = pools;
        this.jdbc = new JdbcTemplate(observers);
        this.activity = isCluster ? ACTIVITY_OF_CLUSTER : ACTIVITY;
    }

    /** The backend that serves this connection, pooled or not; costs no round trip. */
    public static int pidOf(Connection connection) throws SQLException {
        return connection.unwrap(PGConnection.class).getBackendPID();
    }

    /** All client connections of this database but the one that asks. */
    public List<Backend> activity() {
        return withoutObservers(activity(jdbc));
    }

    /** The locks that those connections hold or wait for. */
    public List<Lock> locks() {
        return jdbc.query(LOCKS, DataClassRowMapper.newInstance(Lock.class));
    }

    /** Kills the backend as a failover or an administrator would, and returns when it is gone. */
    public void terminate(int pid) {
        Boolean gone = jdbc.queryForObject("select pg_terminate_backend(?, ?)", Boolean.class, pid, TIMEOUT.toMillis());
        assertThat(gone).as("backend %d was there and is gone", pid).isTrue();
    }

    /** Cancels the backend's running statement (57014 for its client). */
    public void cancel(int pid) {
        Boolean sent = jdbc.queryForObject("select pg_cancel_backend(?)", Boolean.class, pid);
        assertThat(sent).as("backend %d was there", pid).isTrue();
    }

    /** Waits until at least so many backends wait for a lock. */
    public void awaitBlocked(int count) {
        awaitBlocked(count, TIMEOUT);
    }

    public void awaitBlocked(int count, Duration timeout) {
        await(
                timeout,
                count + " backends wait for a lock",
                backends -> backends.stream().filter(Backend::blocked).count() >= count);
    }

    /** Waits until this backend waits for a lock. */
    public void awaitBlocked(Connection connection) throws SQLException {
        int pid = pidOf(connection);
        await(
                TIMEOUT,
                "backend " + pid + " waits for a lock",
                backends -> backends.stream().anyMatch(backend -> backend.pid() == pid && backend.blocked()));
    }

    /** Waits until no backend runs a statement or has a transaction open. */
    public void awaitIdle() {
        await(TIMEOUT, "all backends are idle", backends -> backends.stream().allMatch(Backend::idle));
    }

    /** Waits until this backend has ended. */
    public void awaitGone(int pid) {
        await(
                TIMEOUT,
                "backend " + pid + " is gone",
                backends -> backends.stream().noneMatch(backend -> backend.pid() == pid));
    }

    /**
     * Ends the idle connections, waits until all backends have ended, and until what they did is in the statistics. One that
     * is idle may keep it to itself for a while, and tells it when it ends; before PostgreSQL 15 a process of its own counts
     * it, in the order in which it is told.
     */
    public void awaitStatistics() {
        awaitStatistics(List.of());
    }

    /** The same, while some backends go on and keep their statistics. */
    public void awaitStatistics(List<Integer> without) {
        pools.forEach(pool -> pool.getHikariConfigMXBean().setMinimumIdle(0));
        awaitActivity(TIMEOUT, "all backends are gone", backends -> {
            // In each round, because a pool may just be opening a connection.
            pools.forEach(pool -> pool.getHikariPoolMXBean().softEvictConnections());
            return backends.stream().allMatch(backend -> without.contains(backend.pid()));
        });
        JdbcTemplate unpooled = new JdbcTemplate(admin);
        unpooled.execute("create table if not exists counted_last ()");
        long before = scansOfLast(unpooled);
        unpooled.execute("select from counted_last");
        Awaitility.await("the statistics").timeout(TIMEOUT).until(() -> scansOfLast(unpooled) > before);
    }

    private static long scansOfLast(JdbcTemplate unpooled) {
        Long scans = unpooled.queryForObject(
                "select coalesce(sum(seq_scan), 0) from pg_stat_user_tables where relname = 'counted_last'",
                Long.class);
        return scans == null ? 0 : scans;
    }

    private void await(Duration timeout, String what, Predicate<List<Backend>> condition) {
        awaitActivity(timeout, what, backends -> condition.test(withoutObservers(backends)));
    }

    private void awaitActivity(Duration timeout, String what, Predicate<List<Backend>> condition) {
        SingleConnectionDataSource single = connect();
        try {
            JdbcTemplate polling = new JdbcTemplate(single);
            Awaitility.await(what)
                    .pollInSameThread()
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(10))
                    .timeout(timeout)
                    .untilAsserted(() -> {
                        List<Backend> seen = activity(polling);
                        assertThat(condition.test(seen))
                                .as("%s; seen: %s", what, seen)
                                .isTrue();
                    });
        } finally {
            single.destroy();
        }
    }

    /** One connection for the whole wait: a new one every few milliseconds would load the server under test. */
    private SingleConnectionDataSource connect() {
        try {
            return new SingleConnectionDataSource(admin.getConnection(), true);
        } catch (SQLException e) {
            throw new IllegalStateException("The test database cannot be reached", e);
        }
    }

    private List<Backend> activity(JdbcTemplate jdbc) {
        return jdbc.query(activity, DataClassRowMapper.newInstance(Backend.class));
    }

    private static List<Backend> withoutObservers(List<Backend> backends) {
        return backends.stream()
                .filter(backend -> !backend.applicationName().equals(OBSERVER))
                .toList();
    }

    /** A row of {@code pg_stat_activity}; {@code writing} means that its transaction has an id. */
    public record Backend(
            int pid,
            String applicationName,
            String state,
            String waitEventType,
            String waitEvent,
            boolean writing,
            String query) {

        public boolean blocked() {
            return waitEventType.equals("Lock");
        }

        public boolean idle() {
            return state.equals("idle");
        }

        public boolean inTransaction() {
            return state.startsWith("idle in transaction");
        }
    }

    /** A row of {@code pg_locks}. */
    public record Lock(int pid, String type, String relation, String mode, boolean granted) {}
}
