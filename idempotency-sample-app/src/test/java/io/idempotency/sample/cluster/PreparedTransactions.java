package io.idempotency.sample.cluster;

import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import org.springframework.dao.DataAccessException;

/** Those of all workers, and how long each was seen to be: so long its rows were locked. */
final class PreparedTransactions implements AutoCloseable {

    private static final int POLL_MILLIS = 100;

    /** One that takes so long was left behind by a crash: the others wait for nobody. */
    private static final Duration LEFT_BEHIND = Duration.ofSeconds(3);

    private final List<CitusNode> workers;

    private final Map<String, Duration> ages = new HashMap<>();

    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();

    private final Future<?> watching;

    PreparedTransactions(List<CitusNode> workers) {
        this.workers = workers;
        this.watching =
                thread.scheduleWithFixedDelay(() -> workers.forEach(this::look), 0, POLL_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void look(CitusNode worker) {
        try {
            keep(worker.preparedTransactions());
        } catch (DataAccessException down) {
            // Its prepared transactions are there again when it is.
        }
    }

    private synchronized void keep(Map<String, Duration> found) {
        ages.putAll(found);
    }

    /** Not while a worker is down. */
    boolean areNone() {
        return workers.stream().allMatch(worker -> worker.preparedTransactions().isEmpty());
    }

    synchronized Duration longest() {
        return ages.values().stream().max(Comparator.naturalOrder()).orElse(Duration.ZERO);
    }

    synchronized long leftBehind() {
        return ages.values().stream()
                .filter(age -> age.compareTo(LEFT_BEHIND) > 0)
                .count();
    }

    @Override
    public void close() {
        watching.cancel(true);
        thread.shutdownNow();
    }
}
