package io.idempotency.internal.lease;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.format.annotation.DurationFormat;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

import io.idempotency.DatabaseResolver;
import io.idempotency.internal.claim.LeaseStore;
import io.idempotency.internal.claim.LeaseStore.Renewal;
import io.idempotency.internal.claim.LeaseStore.Result;
import io.idempotency.internal.tenant.RoutedDatabase;
import io.idempotency.internal.transaction.FailedCommit;
import io.idempotency.internal.transaction.RequiresNewTransaction;

/**
 * Renews the leases of the calls whose methods run in this JVM, so that a lease that expires belongs to a process that has ended or
 * stands still. One thread does it; it is woken only for a lease that is due earlier than what it waits for.
 */
public final class LeaseRenewal {

    private static final Logger logger = LoggerFactory.getLogger(LeaseRenewal.class);

    /** The rows of one statement, so that it does not reach its timeout. */
    private static final int MOST_OF_STATEMENT = 1_000;

    private static final long NEVER = Long.MAX_VALUE;

    private static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(1);

    /** A server that was cut off answers nothing, and must not keep the thread from leases that begin meanwhile. */
    private static final Duration LONGEST_SILENCE = Duration.ofSeconds(10);

    private static final String UNREACHED =
            "it could not be renewed in time, because another transaction has locked its row, the pool had no connection"
                    + " or is closed, or the database did not answer";

    private static final String IN_SNAPSHOT =
            "it is not renewed, because the transaction of the method, or of its step, is REPEATABLE READ or"
                    + " SERIALIZABLE, and could not complete a row that has changed since it began. Use READ COMMITTED, or a lease that"
                    + " is longer than the method runs";

    private static final String OUT_OF_REACH =
            "it is not renewed, because this process renews leases only in the database of a"
                    + " thread without a tenant. Use a lease that is longer than the method runs, or extendLease()";

    private final LeaseStore store;

    private final DataSource dataSource;

    private final DatabaseResolver resolver;

    private final Duration longest;

    private final String tooLong;

    /** The leases whose methods run. */
    private final Set<HeldLease> running = ConcurrentHashMap.newKeySet();

    /** Databases that did not answer. */
    private final Set<Object> failed = new LinkedHashSet<>();

    private final long origin = System.nanoTime();

    /** The time since the origin when the thread wakes by itself. */
    private final AtomicLong next = new AtomicLong(NEVER);

    private volatile Runnable waker = () -> {};

    /** Whether the transactions of steps keep a snapshot, by database. Each database is asked at its first step. */
    private final Map<Object, Boolean> stepsHaveSnapshot = new ConcurrentHashMap<>();

    /**
     * Creates the renewal, which does nothing by itself.
     *
     * @param longest the time after its claim to which a lease is renewed
     */
    public LeaseRenewal(LeaseStore store, DataSource dataSource, DatabaseResolver resolver, Duration longest) {
        this.store = store;
        this.dataSource = dataSource;
        this.resolver = resolver;
        this.longest = longest;
        this.tooLong = "a lease is renewed for at most idempotency.max-lease = "
                + DurationFormatterUtils.print(longest, DurationFormat.Style.COMPOSITE)
                + " after its claim. If the method hangs, give the calls that it makes time-outs; otherwise raise the property,"
                + " or call IdempotencyContext.extendLease()";
    }

    /** Sets what wakes the thread that renews. */
    public void wakeBy(Runnable newWaker) {
        waker = newWaker;
    }

    /** Renews a lease from now on, whose method is about to run. */
    void begin(HeldLease lease) {
        running.add(lease);
        long event = nextEventOf(lease);
        if (event < next.getAndAccumulate(event, Math::min)) {
            waker.run();
        }
    }

    /** Renews a lease no more. If nobody knows what became of its call, the key is free when it expires. */
    void end(HeldLease lease) {
        running.remove(lease);
    }

    /** Returns the time until a lease is due. */
    public Duration untilNext() {
        // A lease that begins from here on wakes the thread, and the thread puts nothing off: each short call would
        // wake it again.
        next.updateAndGet(planned -> planned <= now() ? NEVER : planned);
        running.forEach(lease -> next.accumulateAndGet(nextEventOf(lease), Math::min));
        long planned = next.get();
        return planned == NEVER ? Duration.ofDays(1) : Duration.ofNanos(Math.max(0, planned - now()));
    }

    /** Returns whether no lease will be due, so that the thread may end: the next one that begins wakes it. */
    public boolean isIdle() {
        next.set(NEVER);
        untilNext();
        return next.get() == NEVER;
    }

    private long now() {
        return System.nanoTime() - origin;
    }

    /** Returns the time after which it is tried again if a database did not answer. */
    public Duration pauseAfterFailure() {
        return running.stream()
                .map(lease -> lease.term().pause())
                .min(Duration::compareTo)
                .orElse(PAUSE_AFTER_FAILURE);
    }

    /** Returns the time since the origin when a lease is to be renewed, or has expired and is to be logged. */
    private long nextEventOf(HeldLease lease) {
        LeaseTerm term = lease.term();
        if (term.isLost()) {
            return NEVER;
        }
        if (obstacleTo(lease) == null) {
            return term.due() - origin;
        }
        return term.isExpiryLogged() ? NEVER : term.end() - origin;
    }

    /** Returns why a lease cannot be renewed; null if it can. */
    private @Nullable String obstacleTo(HeldLease lease) {
        if (lease.conflictsWithSnapshot()) {
            return IN_SNAPSHOT;
        }
        if (dataSourceOf(lease.database()) == null) {
            return OUT_OF_REACH;
        }
        return lease.term().isBelow(longest) ? null : tooLong;
    }

    /** Returns the DataSource of a database; null if only the thread of a call gets a connection to it. */
    private @Nullable DataSource dataSourceOf(Object database) {
        if (RoutedDatabase.isSingle(resolver)) {
            return dataSource;
        }
        if (resolver instanceof RoutedDatabase && database instanceof DataSource target) {
            return target;
        }
        return database.equals(databaseOfThisThread()) ? dataSource : null;
    }

    private @Nullable Object databaseOfThisThread() {
        try {
            return resolver.resolveDatabase();
        } catch (RuntimeException noTenant) {
            logger.debug("A thread without a tenant has no database", noTenant);
            return null;
        }
    }

    /** Renews the leases that are due, and those that will be soon. */
    public void renewDue() {
        renewDueIn(Duration.ZERO);
    }

    /** Does what {@link #renewDue} will do after some time. */
    void renewDueIn(Duration time) {
        long when = System.nanoTime() + time.toNanos();
        running.forEach(lease -> logIfExpired(lease, when));
        for (Object database : databasesOfDue(when)) {
            failed.remove(database);
            try {
                // What is more than one statement takes stays due.
                renew(database, when);
            } catch (RuntimeException | Error failure) {
                failed.add(database);
                throw failure;
            }
        }
    }

    private void logIfExpired(HeldLease lease, long when) {
        LeaseTerm term = lease.term();
        if (term.isLost() || term.isExpiryLogged() || term.end() - when > 0) {
            return;
        }
        term.expiryLogged();
        String obstacle = obstacleTo(lease);
        logger.error(
                "The lease of the {} has expired and its method still runs in this process, so that another call may run it a"
                        + " second time: {}",
                lease.intent(),
                obstacle == null ? UNREACHED : obstacle);
    }

    /** Those that did not answer the last time are last, one after the other, so that they delay no others. */
    private Set<Object> databasesOfDue(long when) {
        Set<Object> due = new LinkedHashSet<>();
        running.forEach(lease -> {
            if (isRenewable(lease) && lease.term().due() - when <= 0) {
                due.add(lease.database());
            }
        });
        failed.retainAll(due);
        due.removeAll(failed);
        due.addAll(failed);
        return due;
    }

    private boolean isRenewable(HeldLease lease) {
        return !lease.term().isLost() && obstacleTo(lease) == null;
    }

    private void renew(Object database, long when) {
        DataSource target = dataSourceOf(database);
        if (target == null) {
            return;
        }
        List<HeldLease> leases = new ArrayList<>();
        try {
            // Chosen only when there is a connection: until then calls end, and transactions with snapshots begin.
            RequiresNewTransaction.on(target).<@Nullable Object>send(connection -> {
                Duration bound = longestTry();
                // With its rollback, should it fail: the server may be cut off right after its answer.
                answeringWithin(
                        bound,
                        connection,
                        () -> FailedCommit.commitWith(
                                connection, () -> renewOn(connection, choose(leases, database, when), bound)));
                return null;
            });
        } finally {
            leases.forEach(lease -> lease.term().release());
        }
    }

    /** All leases that will be due wait for a try, also those of other databases. */
    private Duration longestTry() {
        long now = System.nanoTime();
        return Stream.concat(
                        Stream.of(LONGEST_SILENCE),
                        running.stream()
                                .filter(this::isRenewable)
                                .map(lease -> lease.term().longestTry(now)))
                .min(Duration::compareTo)
                .orElse(LONGEST_SILENCE);
    }

    private static void answeringWithin(Duration bound, Connection connection, Runnable work) {
        try {
            int before = connection.getNetworkTimeout();
            connection.setNetworkTimeout(
                    Runnable::run, (int) bound.plusMillis(1).toMillis());
            try {
                work.run();
            } finally {
                if (!connection.isClosed()) {
                    connection.setNetworkTimeout(Runnable::run, before);
                }
            }
        } catch (SQLException failure) {
            throw new DataAccessResourceFailureException("The connection has no time limit", failure);
        }
    }

    private List<HeldLease> choose(List<HeldLease> chosen, Object database, long when) {
        running.forEach(lease -> {
            if (chosen.size() < MOST_OF_STATEMENT
                    && lease.database().equals(database)
                    && isRenewable(lease)
                    && lease.term().isDueSoon(when)) {
                if (lease.term().tryAcquire()) {
                    chosen.add(lease);
                } else {
                    lease.term().tryLater();
                }
            }
        });
        return chosen;
    }

    private List<HeldLease> renewOn(Connection connection, List<HeldLease> leases, Duration bound) {
        if (leases.isEmpty()) {
            return leases;
        }
        long start = System.nanoTime();
        List<Renewal> renewals = leases.stream()
                .map(lease -> new Renewal(lease.fence(), lease.term().next(longest, start)))
                .toList();
        // A server that is only slow says so before it seems to be cut off.
        List<Result> results =
                store.renew(connection, renewals, bound.multipliedBy(3).dividedBy(4));
        for (int i = 0; i < results.size(); i++) {
            LeaseTerm term = leases.get(i).term();
            switch (results.get(i)) {
                case RENEWED -> term.lasts(start + renewals.get(i).duration().toNanos());
                case UNCHANGED -> term.tryLater();
                case LOST -> lose(leases.get(i));
            }
        }
        return leases;
    }

    private void lose(HeldLease lease) {
        lease.term().lose();
        if (running.contains(lease)) {
            logger.warn(
                    "The lease of the {} was not renewed in time and is lost: another call has taken the key over, or an"
                            + " operator has decided about it. Its method still runs in this process, and cannot complete",
                    lease.intent());
        }
    }

    /**
     * Pauses the renewal of a lease during a step whose transaction may have a snapshot: it could not update the row that a renewal has
     * changed meanwhile, so the step would not be recorded.
     */
    Pause pause(HeldLease lease) {
        boolean isNeeded = stepsHaveSnapshot.getOrDefault(lease.database(), true);
        return new Pause(lease, isNeeded && lease.term().acquire());
    }

    /** The time in which a lease is not renewed. */
    final class Pause implements AutoCloseable {

        private final HeldLease lease;

        private boolean isPaused;

        private boolean isInSnapshot;

        private Pause(HeldLease lease, boolean isPaused) {
            this.lease = lease;
            this.isPaused = isPaused;
        }

        /**
         * Ends the pause if the transaction has no snapshot; otherwise the lease cannot be extended either. Only the first one is asked,
         * because that takes a round trip.
         */
        void begun(Connection connection) {
            Boolean known = stepsHaveSnapshot.get(lease.database());
            if (known == null) {
                try {
                    known = isOfSnapshot(connection);
                } catch (SQLException broken) {
                    return;
                }
                stepsHaveSnapshot.put(lease.database(), known);
            }
            if (!known) {
                close();
            } else if (!lease.conflictsWithSnapshot()) {
                isInSnapshot = true;
                lease.term().conflictsWithSnapshot(true);
            }
        }

        @Override
        public void close() {
            if (isPaused) {
                isPaused = false;
                lease.term().release();
            }
            if (isInSnapshot) {
                isInSnapshot = false;
                lease.term().conflictsWithSnapshot(false);
                begin(lease);
            }
        }
    }

    /** Returns whether the transaction of a connection does not see what others commit after its first statement. */
    static boolean hasSnapshot(Connection connection) {
        try {
            return isOfSnapshot(connection);
        } catch (SQLException closed) {
            return false;
        }
    }

    private static boolean isOfSnapshot(Connection connection) throws SQLException {
        return connection.getTransactionIsolation() >= Connection.TRANSACTION_REPEATABLE_READ;
    }
}
