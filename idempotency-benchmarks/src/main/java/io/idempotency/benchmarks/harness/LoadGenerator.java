package io.idempotency.benchmarks.harness;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.DoubleStream;

import com.sun.management.OperatingSystemMXBean;

/** Runs a contender with several threads at once. They stay the same, so that each keeps its connection of a pool. */
final class LoadGenerator implements AutoCloseable {

    private static final OperatingSystemMXBean SYSTEM =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

    private final BenchmarkServer server;

    private final ExecutorService callers;

    LoadGenerator(BenchmarkServer server, int threads) {
        this.server = server;
        this.callers = Executors.newFixedThreadPool(threads);
    }

    /** Runs the contender again and again until the time is over, at least once in each thread. */
    Measurement run(Contender contender, int threads, Duration slot) throws Exception {
        CountDownLatch ready = new CountDownLatch(threads);
        CountDownLatch go = new CountDownLatch(1);
        List<Future<Calls>> running = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            running.add(callers.submit(() -> {
                try {
                    // The pool tests a connection that was not used for a while.
                    contender.run();
                } finally {
                    ready.countDown();
                }
                go.await();
                return call(contender, System.nanoTime() + slot.toNanos());
            }));
        }
        ready.await();
        long wal = server.walBytes();
        long roundTrips = RoundTrips.count();
        long processorNanos = SYSTEM.getProcessCpuTime();
        long start = System.nanoTime();
        go.countDown();
        List<Calls> calls = new ArrayList<>();
        for (Future<Calls> caller : running) {
            calls.add(resultOf(caller));
        }
        processorNanos = SYSTEM.getProcessCpuTime() - processorNanos;
        roundTrips = RoundTrips.count() - roundTrips;
        wal = server.walBytes() - wal;
        long end = calls.stream().mapToLong(Calls::end).max().orElseThrow();
        double[] millis = calls.stream().flatMapToDouble(Calls::millis).sorted().toArray();
        double items = (double) millis.length * contender.items();
        return new Measurement(
                items / ((end - start) / 1e9),
                Quantiles.ofSorted(millis, 0.5),
                Quantiles.ofSorted(millis, 0.99),
                processorNanos / 1e3 / items,
                wal / items,
                roundTrips / items);
    }

    private static Calls call(Contender contender, long deadline) throws Exception {
        long[] nanos = new long[1_024];
        int count = 0;
        long before = System.nanoTime();
        long after = before;
        do {
            contender.run();
            after = System.nanoTime();
            if (count == nanos.length) {
                nanos = Arrays.copyOf(nanos, 2 * count);
            }
            nanos[count++] = after - before;
            before = after;
        } while (after - deadline < 0);
        return new Calls(Arrays.stream(nanos).limit(count).mapToDouble(each -> each / 1e6), after);
    }

    private static Calls resultOf(Future<Calls> caller) throws InterruptedException {
        try {
            return caller.get();
        } catch (ExecutionException failed) {
            throw new IllegalStateException("A measured call has failed", failed.getCause());
        }
    }

    @Override
    public void close() {
        callers.shutdownNow();
    }

    /**
     * The calls of one thread.
     *
     * @param millis the time of each, to be read once
     * @param end the end of the last one
     */
    private record Calls(DoubleStream millis, long end) {}
}
