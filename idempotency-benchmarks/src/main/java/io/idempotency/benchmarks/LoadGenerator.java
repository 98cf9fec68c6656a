package io.idempotency.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;

/** Threads that repeat an operation at the same time. They stay the same, so that each keeps its connection of a pool. */
final class LoadGenerator implements AutoCloseable {

    /** A connection that nobody has used for a while is asked by the pool whether it is alive: not in the measured time. */
    private static final int LEAD_IN_ITEMS = 3;

    private final ServerCosts costs;

    private final ExecutorService callers;

    LoadGenerator(ServerCosts costs, int threads) {
        this.costs = costs;
        this.callers = Executors.newFixedThreadPool(threads);
    }

    /**
     * Repeats the operation for that long.
     *
     * @param items of which each operation is the work
     */
    Measurement run(Operation operation, int items, int threads, Duration duration) throws Exception {
        int leadIn = Math.max(1, LEAD_IN_ITEMS / items);
        CountDownLatch ready = new CountDownLatch(threads);
        CountDownLatch go = new CountDownLatch(1);
        List<Future<Calls>> running = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            running.add(callers.submit(() -> {
                try {
                    for (int call = 0; call < leadIn; call++) {
                        operation.run();
                    }
                } finally {
                    ready.countDown();
                }
                go.await();
                return call(operation, System.nanoTime() + duration.toNanos());
            }));
        }
        ready.await();
        long wal = costs.walBytes();
        long roundTrips = CountingSocketFactory.roundTrips();
        long start = System.nanoTime();
        go.countDown();
        List<Calls> calls = new ArrayList<>();
        for (Future<Calls> caller : running) {
            calls.add(resultOf(caller));
        }
        long end = calls.stream().mapToLong(Calls::end).max().orElseThrow();
        roundTrips = CountingSocketFactory.roundTrips() - roundTrips;
        wal = costs.walBytes() - wal;
        long[] latencies =
                calls.stream().flatMapToLong(Calls::latencies).sorted().toArray();
        double operations = (double) latencies.length * items;
        return new Measurement(
                operations / ((end - start) / 1e9),
                Latencies.quantile(latencies, 0.5) / 1e3,
                Latencies.quantile(latencies, 0.99) / 1e3,
                wal / operations,
                roundTrips / operations);
    }

    /** At least one call, however short the time is. */
    private static Calls call(Operation operation, long deadline) throws Exception {
        long[] latencies = new long[1_024];
        int count = 0;
        long before = System.nanoTime();
        long after = before;
        do {
            operation.run();
            after = System.nanoTime();
            if (count == latencies.length) {
                latencies = Arrays.copyOf(latencies, 2 * count);
            }
            latencies[count++] = after - before;
            before = after;
        } while (after - deadline < 0);
        return new Calls(Arrays.copyOf(latencies, count), after);
    }

    private static Calls resultOf(Future<Calls> caller) throws Exception {
        try {
            return caller.get();
        } catch (ExecutionException failed) {
            throw new IllegalStateException("A call that is measured has failed", failed.getCause());
        }
    }

    @Override
    public void close() {
        callers.shutdownNow();
    }

    private static final class Calls {

        private final long[] nanos;

        private final long end;

        private Calls(long[] nanos, long end) {
            this.nanos = nanos;
            this.end = end;
        }

        private long end() {
            return end;
        }

        private LongStream latencies() {
            return Arrays.stream(nanos);
        }
    }
}
