package io.idempotency.sample.cluster;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import org.awaitility.core.ConditionTimeoutException;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.DataClassRowMapper;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.sample.cluster.Fault.Kind;

import static org.awaitility.Awaitility.await;

/** Breaks one thing after the other, as a seed has it, and mends it. */
final class Killer implements AutoCloseable {

    /** Of a paused instance: by then all clients that wait for its leases have asked again, or given up. */
    private static final Duration LONGEST_PAUSE = SampleInstance.LEASE.plusSeconds(6);

    private static final Duration LONGEST_OVERTIME = Duration.ofMinutes(2);

    private static final int LEAST_READY = 2;

    private static final int LONGEST_OUTAGE_MILLIS = 1_000;

    private static final Duration SEARCH = Duration.ofSeconds(2);

    /** Those that write, first: they have something to lose. */
    private static final String BUSY_BACKENDS = """
            select pid
            from pg_stat_activity
            where application_name like 'instance-%' and xact_start is not null and backend_xid is not null
            order by random()""";

    private static final String LEASES = """
            select request_id, claim_token
            from idempotency.idempotency_request
            where status = 'processing' and locked_until is not null and claimed_by like ?""";

    private static final String IS_TAKEN_OVER = """
            select count(*) > 0 from idempotency.idempotency_request where request_id = ? and claim_token <> ?""";

    /** No pause at all: work comes and goes within milliseconds. */
    private static final Duration POLL = Duration.ofMillis(1);

    private static final Duration SLOW_POLL = Duration.ofMillis(200);

    private final ClusterServer server;

    private final List<SampleInstance> instances;

    private final JdbcTemplate jdbc;

    private final Random random;

    private final List<Fault> faults = new ArrayList<>();

    private final List<Kind> round = new ArrayList<>();

    private final ExecutorService repairs = Executors.newCachedThreadPool();

    private final Pauses pauses = new Pauses();

    private final AtomicInteger overtaken = new AtomicInteger();

    private final List<Future<?>> running = new ArrayList<>();

    Killer(ClusterServer server, List<SampleInstance> instances, long seed) {
        this.server = server;
        this.instances = instances;
        this.jdbc = new JdbcTemplate(server.dataSource());
        this.random = new Random(seed);
    }

    /**
     * Returns when the time is over and so many faults have happened, and work was struck by each kind; after some overtime
     * without that.
     */
    void run(Duration duration, int least, Duration longestCalm) throws InterruptedException {
        Instant end = Instant.now().plus(duration);
        Instant latestEnd = end.plus(LONGEST_OVERTIME);
        while (Instant.now().isBefore(end)
                || (Instant.now().isBefore(latestEnd) && (faults.size() < least || !eachKindHasStruckWork()))) {
            pauses.take(random.nextLong(longestCalm.toMillis()));
            strikeOnce();
        }
    }

    /** Requests come and go within milliseconds, and a fault may strike when there is none. */
    private boolean eachKindHasStruckWork() {
        return faults.stream()
                .filter(Fault::struckWork)
                .map(Fault::kind)
                .collect(Collectors.toSet())
                .containsAll(server.faults());
    }

    /** Returns when all is mended. */
    void awaitRepairs() throws InterruptedException, ExecutionException {
        for (Future<?> repair : running) {
            repair.get();
        }
    }

    @Override
    public void close() {
        pauses.stop();
        repairs.shutdownNow();
    }

    /**
     * Each kind once before any comes again: one that cannot strike now keeps its turn, or a slow machine, whose
     * instances are hardly ever ready at once, would never see it.
     */
    private void strikeOnce() throws InterruptedException {
        if (round.isEmpty()) {
            round.addAll(server.faults());
            Collections.shuffle(round, random);
        }
        for (Kind kind : round) {
            if (strike(kind)) {
                round.remove(kind);
                return;
            }
        }
    }

    /** Whether it could. */
    private boolean strike(Kind kind) throws InterruptedException {
        return switch (kind) {
            case KILLED_INSTANCE -> strikeVictim(this::kill);
            case PAUSED_INSTANCE -> strikeVictim(this::pause);
            case TERMINATED_BACKEND -> terminateBackend();
            case CRASHED_DATABASE -> crashDatabase();
            case CRASHED_WORKER -> crashWorker();
        };
    }

    private boolean strikeVictim(Consumer<SampleInstance> blow) {
        Optional<SampleInstance> victim = victim();
        victim.ifPresent(blow);
        return victim.isPresent();
    }

    /** With requests of clients if there is one; never the last that works. */
    private Optional<SampleInstance> victim() {
        List<SampleInstance> ready = ready();
        if (ready.size() < LEAST_READY) {
            return Optional.empty();
        }
        Collections.shuffle(ready, random);
        return search(
                () -> ready.stream()
                        .filter(instance -> instance.openRequests().get() > 0)
                        .findFirst(),
                Optional::isPresent,
                Optional.empty());
    }

    private List<SampleInstance> ready() {
        return new ArrayList<>(
                instances.stream().filter(SampleInstance::isReady).toList());
    }

    /** What is looked for, or something else if it does not turn up in time. */
    private static <T> T search(Callable<T> look, Predicate<T> isIt, T otherwise) {
        try {
            return await().pollInSameThread()
                    .atMost(SEARCH)
                    .pollDelay(Duration.ZERO)
                    .pollInterval(POLL)
                    .ignoreExceptionsInstanceOf(DataAccessException.class)
                    .until(look, isIt);
        } catch (ConditionTimeoutException notFound) {
            return otherwise;
        }
    }

    private void kill(SampleInstance instance) {
        boolean struckWork = instance.openRequests().get() > 0;
        instance.kill();
        keep(Kind.KILLED_INSTANCE, instance.name(), struckWork);
        running.add(repairs.submit(() -> {
            instance.start();
            instance.awaitReady();
            return null;
        }));
    }

    private void pause(SampleInstance instance) {
        List<Lease> leases = pauseWithLeases(instance);
        instance.pause();
        keep(Kind.PAUSED_INSTANCE, instance.name(), instance.openRequests().get() > 0);
        running.add(repairs.submit(() -> {
            awaitTakeOver(leases);
            instance.resume();
            return null;
        }));
    }

    /** In the middle of leased calls if there are any: it goes on for a moment where it is found without. */
    private List<Lease> pauseWithLeases(SampleInstance instance) {
        return search(
                () -> {
                    instance.pause();
                    List<Lease> leases = leasesOf(instance);
                    if (leases.isEmpty()) {
                        instance.resume();
                    }
                    return leases;
                },
                leases -> !leases.isEmpty(),
                List.of());
    }

    private List<Lease> leasesOf(SampleInstance instance) {
        return jdbc.query(LEASES, DataClassRowMapper.newInstance(Lease.class), "% " + instance.pid() + "@%");
    }

    /** It stands still past its leases, until others hold one of them, or nobody comes for them. */
    private void awaitTakeOver(List<Lease> leases) {
        try {
            await().atMost(LONGEST_PAUSE)
                    .pollInterval(SLOW_POLL)
                    .ignoreExceptionsInstanceOf(DataAccessException.class)
                    .until(() -> leases.stream().anyMatch(this::isTakenOver));
            overtaken.incrementAndGet();
        } catch (ConditionTimeoutException nobodyCame) {
            // The clients had lost patience.
        }
    }

    private boolean isTakenOver(Lease lease) {
        return jdbc.queryForObject(IS_TAKEN_OVER, Boolean.class, lease.requestId(), lease.claimToken());
    }

    private boolean terminateBackend() {
        List<Integer> busy = search(this::busyBackends, found -> !found.isEmpty(), List.of());
        if (busy.isEmpty()) {
            return false;
        }
        int pid = busy.get(0);
        jdbc.queryForObject("select pg_terminate_backend(?)", Boolean.class, pid);
        keep(Kind.TERMINATED_BACKEND, "backend " + pid, true);
        return true;
    }

    private List<Integer> busyBackends() {
        return jdbc.queryForList(BUSY_BACKENDS, Integer.class);
    }

    /** Not while most instances start: they give up where there is no database, and would never come back. */
    private boolean crashDatabase() throws InterruptedException {
        if (ready().size() < LEAST_READY) {
            return false;
        }
        boolean struckWork = !search(this::busyBackends, found -> !found.isEmpty(), List.<Integer>of())
                .isEmpty();
        server.stopImmediately();
        keep(Kind.CRASHED_DATABASE, "database", struckWork);
        pauses.take(random.nextInt(LONGEST_OUTAGE_MILLIS));
        server.startAgain();
        return true;
    }

    /** While it holds a prepared transaction, if one is found; that may be committed before the kill reaches the worker. */
    private boolean crashWorker() throws InterruptedException {
        if (ready().size() < LEAST_READY) {
            return false;
        }
        CitusNode worker = server.workers().get(random.nextInt(server.workers().size()));
        boolean struckWork = !search(worker::preparedTransactions, found -> !found.isEmpty(), Map.of())
                .isEmpty();
        worker.stopImmediately();
        keep(Kind.CRASHED_WORKER, worker.name(), struckWork);
        pauses.take(random.nextInt(LONGEST_OUTAGE_MILLIS));
        worker.startAgain();
        return true;
    }

    private void keep(Kind kind, String target, boolean struckWork) {
        faults.add(new Fault(kind, target, Instant.now(), struckWork));
    }

    List<Fault> faults() {
        return List.copyOf(faults);
    }

    /** How many instances stood still until another one had taken a lease of theirs over. */
    int overtaken() {
        return overtaken.get();
    }

    /** A claim that its holder has committed. */
    private record Lease(UUID requestId, UUID claimToken) {}
}
