package io.idempotency.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Callers that come with one new key at once: how much longer than the winner do the losers wait? */
final class RaceJob implements AutoCloseable {

    static final int CALLERS = 8;

    private static final Duration EFFECT = Duration.ofMillis(50);

    private final ServerCosts costs;

    private final ExecutorService callers = Executors.newFixedThreadPool(CALLERS);

    RaceJob(ServerCosts costs) {
        this.costs = costs;
    }

    /** The latencies are those of the losers less that of the winner of their race; below zero where one came later. */
    Measurement run(CallContender contender, int races) throws Exception {
        contender.settings.pause(EFFECT);
        try {
            long wal = costs.walBytes();
            long roundTrips = CountingSocketFactory.roundTrips();
            long start = System.nanoTime();
            long[] waits = new long[races * (CALLERS - 1)];
            for (int race = 0; race < races; race++) {
                long[] one = race(contender);
                System.arraycopy(one, 0, waits, race * (CALLERS - 1), one.length);
            }
            double calls = (double) races * CALLERS;
            double seconds = (System.nanoTime() - start) / 1e9;
            Arrays.sort(waits);
            return new Measurement(
                    calls / seconds,
                    Latencies.quantile(waits, 0.5) / 1e3,
                    Latencies.quantile(waits, 0.99) / 1e3,
                    (costs.walBytes() - wal) / calls,
                    (CountingSocketFactory.roundTrips() - roundTrips) / calls);
        } finally {
            contender.settings.pause(Duration.ZERO);
        }
    }

    private long[] race(CallContender contender) throws Exception {
        int number = contender.nextNumber();
        String key = Keys.called(number);
        CyclicBarrier start = new CyclicBarrier(CALLERS);
        List<Future<Call>> running = new ArrayList<>();
        for (int i = 0; i < CALLERS; i++) {
            running.add(callers.submit(() -> {
                start.await();
                long before = System.nanoTime();
                contender.pay(key, Payment.of(number));
                return new Call(Thread.currentThread(), System.nanoTime() - before);
            }));
        }
        List<Call> calls = new ArrayList<>();
        for (Future<Call> caller : running) {
            calls.add(caller.get());
        }
        Thread winner = contender.settings.lastExecutor();
        long winning = calls.stream()
                .filter(call -> call.caller() == winner)
                .mapToLong(Call::nanos)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("Nobody has won a race of " + contender.name()));
        return calls.stream()
                .filter(call -> call.caller() != winner)
                .mapToLong(call -> call.nanos() - winning)
                .toArray();
    }

    @Override
    public void close() {
        callers.shutdownNow();
    }

    private record Call(Thread caller, long nanos) {}
}
