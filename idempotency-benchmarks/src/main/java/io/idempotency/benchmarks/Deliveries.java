package io.idempotency.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;

import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** When messages were committed, and when they reached whoever they were for. */
final class Deliveries {

    private static final long TIMEOUT_SECONDS = 300;

    private volatile Measured measured = new Measured(0);

    /** Forgets what was, and waits for the messages 0 to count-1. */
    void expect(int count) {
        measured = new Measured(count);
    }

    /** Called within the transaction; takes the time before anything else that follows the commit. */
    void stampCommit(int number) {
        TransactionSynchronizationManager.registerSynchronization(new CommitStamp(measured, number));
    }

    void arrived(int number) {
        Measured now = measured;
        if (number < now.arrivals.length() && now.arrivals.compareAndSet(number, 0, System.nanoTime())) {
            now.missing.countDown();
        }
    }

    void await() throws InterruptedException {
        if (!measured.missing.await(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException(measured.missing.getCount() + " messages were not delivered");
        }
    }

    /** From commit to arrival. A message may arrive before the thread of its commit goes on: that is 0. */
    List<Double> latenciesInMillis() {
        Measured now = measured;
        List<Double> latencies = new ArrayList<>();
        for (int i = 0; i < now.arrivals.length(); i++) {
            latencies.add(Math.max(0, now.arrivals.get(i) - now.commits.get(i)) / 1e6);
        }
        return latencies;
    }

    private static final class Measured {

        private final AtomicLongArray commits;

        private final AtomicLongArray arrivals;

        private final CountDownLatch missing;

        private Measured(int count) {
            commits = new AtomicLongArray(count);
            arrivals = new AtomicLongArray(count);
            missing = new CountDownLatch(count);
        }
    }

    private record CommitStamp(Measured measured, int number) implements TransactionSynchronization {

        @Override
        public int getOrder() {
            return Ordered.HIGHEST_PRECEDENCE;
        }

        @Override
        public void afterCommit() {
            if (number < measured.commits.length()) {
                measured.commits.set(number, System.nanoTime());
            }
        }
    }
}
