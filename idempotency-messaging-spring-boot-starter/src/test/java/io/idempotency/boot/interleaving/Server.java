package io.idempotency.boot.interleaving;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

import io.idempotency.test.TestDatabase;

/** The server as the scheduler sees it, on a connection that no actor uses. */
final class Server implements AutoCloseable {

    private static final Duration LIMIT = Duration.ofSeconds(10);

    private static final long POLL_NANOS = 200_000;

    private static final String WRITTEN = """
            with asked as (select cast(? as integer) as pid)
            select exists (select from asked, pg_stat_get_activity(asked.pid) where backend_xid is not null)
                or exists (select from asked join pg_locks using (pid) where locktype = 'advisory')""";

    private static final String ADVISORY = """
            select exists (
                select from pg_locks join pg_database on pg_database.oid = database
                where locktype = 'advisory' and datname = current_database())""";

    private final Connection connection;

    private final PreparedStatement blocked;

    private final PreparedStatement present;

    private final PreparedStatement terminate;

    private final PreparedStatement written;

    private final PreparedStatement advisory;

    Server(TestDatabase database) throws SQLException {
        this.connection = database.connection();
        this.blocked = connection.prepareStatement("select cardinality(pg_blocking_pids(?)) > 0");
        this.present = connection.prepareStatement("select exists (select from pg_stat_get_activity(?))");
        this.terminate = connection.prepareStatement("select pg_terminate_backend(?)");
        this.written = connection.prepareStatement(WRITTEN);
        this.advisory = connection.prepareStatement(ADVISORY);
    }

    /** Returns whether the transaction of the backend has written or locked a row, or holds another lock that outlasts a statement. */
    boolean hasWritten(int pid) {
        return ask(written, pid);
    }

    /** Returns whether any session of the database holds an advisory lock. */
    boolean hasAdvisoryLocks() {
        return ask(advisory);
    }

    /** Returns whether the backend waits for a lock that another one holds, or waits for before it. */
    boolean isBlocked(int pid) {
        return ask(blocked, pid);
    }

    /** Terminates a backend, and returns when its locks are free. */
    void terminate(int pid) {
        if (ask(present, pid)) {
            // Without its own timeout, which looks every 100 ms only.
            ask(terminate, pid);
            awaitGone(pid);
        }
    }

    /** Waits until a backend has ended that was terminated, or whose client has gone. */
    void awaitGone(int pid) {
        long start = System.nanoTime();
        while (ask(present, pid)) {
            long waited = System.nanoTime() - start;
            if (waited > LIMIT.toNanos()) {
                throw new IllegalStateException("Backend " + pid + " does not end");
            }
            // On behalf of this object, which tells it from a pause of the application. Where it takes long, questions
            // would prolong it.
            LockSupport.parkNanos(this, Math.max(POLL_NANOS, waited / 2));
        }
    }

    private synchronized boolean ask(PreparedStatement question, int pid) {
        try {
            question.setInt(1, pid);
            return ask(question);
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }

    private synchronized boolean ask(PreparedStatement question) {
        try (ResultSet rows = question.executeQuery()) {
            rows.next();
            return rows.getBoolean(1);
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
