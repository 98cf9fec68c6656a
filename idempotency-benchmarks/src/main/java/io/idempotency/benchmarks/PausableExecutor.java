package io.idempotency.benchmarks;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Threads that deliver; while they are stopped, what they are handed is left to whoever looks for it later. */
final class PausableExecutor implements Executor, AutoCloseable {

    private final ExecutorService threads = Executors.newFixedThreadPool(OutboxContender.HANDLER_THREADS);

    private volatile boolean running;

    void start() {
        running = true;
    }

    void stop() {
        running = false;
    }

    @Override
    public void execute(Runnable task) {
        if (running) {
            threads.execute(task);
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
