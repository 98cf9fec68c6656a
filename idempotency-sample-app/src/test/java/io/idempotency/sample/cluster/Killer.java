package io.idempotency.sample.cluster;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.sample.cluster.Fault.Kind;

/** Breaks one thing after the other, as a seed has it, and mends it. */
final class Killer implements AutoCloseable {

    private static final Duration PAUSE = SampleInstance.LEASE.plusSeconds(1);

    private static final Duration SEARCH = Duration.ofSeconds(2);

    /** Those that write, first: they have something to lose. */
    private static final String BUSY_BACKENDS = """
            select pid
            from pg_stat_activity
            where application_name like 'instance-%' and xact_start is not null and backend_xid is not null
            order by random()""";

    private final ClusterServer server;

    private final List<SampleInstance> instances;

    private final JdbcTemplate jdbc;

    private final Random random;

    private final List<Fault> faults = new ArrayList<>();

    private final List<Kind> next = new ArrayList<>();

    private final ExecutorService repairs = Executors.newCachedThreadPool();

    private final List<Future<?>> running = new ArrayList<>();

    Killer(ClusterServer server, List<SampleInstance> instances, long seed) {
        this.server = server;
        this.instances = instances;
        this.jdbc = new JdbcTemplate(server.dataSource());
        this.random = new Random(seed);
    }

    /** Returns when the time is over, so many faults have happened at least, and all is mended. */
    void run(Duration duration, int least, Duration longestCalm)
            throws InterruptedException, ExecutionException, IOException {
        Instant end = Instant.now().plus(duration);
        while (Instant.now().isBefore(end) || faults.size() < least) {
            TimeUnit.MILLISECONDS.sleep(random.nextLong(longestCalm.toMillis()));
            strike(nextKind());
        }
        for (Future<?> repair : running) {
            repair.get();
        }
    }

    @Override
    public void close() {
        repairs.shutdownNow();
    }

    /** Each kind once before any comes again. */
    private Kind nextKind() {
        if (next.isEmpty()) {
            next.addAll(List.of(Kind.values()));
            Collections.shuffle(next, random);
        }
        return next.remove(0);
    }

    private void strike(Kind kind) throws InterruptedException {
        switch (kind) {
            case KILLED_INSTANCE -> victim().ifPresent(this::kill);
            case PAUSED_INSTANCE -> victim().ifPresent(this::pause);
            case TERMINATED_BACKEND -> terminateBackend();
            case CRASHED_DATABASE -> crashDatabase();
        }
    }

    /** With requests of clients if there is one; never the last that works. */
    private Optional<SampleInstance> victim() throws InterruptedException {
        for (Instant end = Instant.now().plus(SEARCH); Instant.now().isBefore(end); ) {
            List<SampleInstance> ready = new ArrayList<>(
                    instances.stream().filter(SampleInstance::isReady).toList());
            if (ready.size() < 2) {
                return Optional.empty();
            }
            Collections.shuffle(ready, random);
            if (ready.get(0).openRequests().get() > 0) {
                return Optional.of(ready.get(0));
            }
            TimeUnit.MILLISECONDS.sleep(1);
        }
        return Optional.empty();
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
        boolean struckWork = instance.openRequests().get() > 0;
        instance.pause();
        keep(Kind.PAUSED_INSTANCE, instance.name(), struckWork);
        running.add(repairs.submit(() -> {
            TimeUnit.MILLISECONDS.sleep(PAUSE.toMillis());
            instance.resume();
            return null;
        }));
    }

    private void terminateBackend() throws InterruptedException {
        for (Instant end = Instant.now().plus(SEARCH); Instant.now().isBefore(end); ) {
            List<Integer> busy = busyBackends();
            if (!busy.isEmpty()) {
                int pid = busy.get(0);
                jdbc.queryForObject("select pg_terminate_backend(?)", Boolean.class, pid);
                keep(Kind.TERMINATED_BACKEND, "backend " + pid, true);
                return;
            }
        }
    }

    private List<Integer> busyBackends() {
        try {
            return jdbc.queryForList(BUSY_BACKENDS, Integer.class);
        } catch (DataAccessException away) {
            return List.of();
        }
    }

    private void crashDatabase() throws InterruptedException {
        boolean struckWork = false;
        for (Instant end = Instant.now().plus(SEARCH);
                !struckWork && Instant.now().isBefore(end); ) {
            struckWork = !busyBackends().isEmpty();
        }
        server.stopImmediately();
        keep(Kind.CRASHED_DATABASE, "database", struckWork);
        TimeUnit.MILLISECONDS.sleep(random.nextInt(1_000));
        server.startAgain();
    }

    private void keep(Kind kind, String target, boolean struckWork) {
        faults.add(new Fault(kind, target, Instant.now(), struckWork));
    }

    List<Fault> faults() {
        return List.copyOf(faults);
    }
}
