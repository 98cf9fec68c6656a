package io.idempotency.benchmarks.outbox;

import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** When messages were committed, and when they arrived. */
class Deliveries {

    private static final long TIMEOUT_SECONDS = 300;

    private final Map<Integer, Long> commits = new ConcurrentHashMap<>();

    private final Map<Integer, Long> arrivals = new ConcurrentHashMap<>();

    private volatile int first;

    private volatile CountDownLatch missing = new CountDownLatch(0);

    /** Forgets all messages, and waits for those with the following numbers. */
    void expect(int firstNumber, int count) {
        commits.clear();
        arrivals.clear();
        first = firstNumber;
        missing = new CountDownLatch(count);
    }

    /** Notes when the open transaction has committed, before anything else that follows its commit. */
    void stampCommit(int number) {
        TransactionSynchronizationManager.registerSynchronization(new CommitStamp(commits, number));
    }

    void arrived(int number) {
        if (number >= first && arrivals.putIfAbsent(number, System.nanoTime()) == null) {
            missing.countDown();
        }
    }

    void await() throws InterruptedException {
        if (!missing.await(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException(missing.getCount() + " messages have not arrived");
        }
    }

    /** Returns the times from commit to arrival; 0 for a message that arrived before its committer took the time. */
    Collection<Double> millis() {
        return arrivals.entrySet().stream()
                .map(arrival -> Math.max(0, arrival.getValue() - commits.getOrDefault(arrival.getKey(), 0L)) / 1e6)
                .toList();
    }

    private record CommitStamp(Map<Integer, Long> commits, int number) implements TransactionSynchronization {

        @Override
        public int getOrder() {
            return Ordered.HIGHEST_PRECEDENCE;
        }

        @Override
        public void afterCommit() {
            commits.put(number, System.nanoTime());
        }
    }
}
