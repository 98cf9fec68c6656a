package io.idempotency.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.IntStream;

/**
 * Calls that start at the same instant, each on a thread of its own. {@code run} waits for all of them; {@code start}
 * returns while they run, so that the test can look at them, and {@link #await()} then collects the results.
 */
public final class ConcurrentCalls<T> {

    private static final Duration TIMEOUT = TestSize.pick(Duration.ofSeconds(60), Duration.ofMinutes(10));

    private final List<Thread> threads = new ArrayList<>();
    private final AtomicReferenceArray<CallResult<T>> results;
    private final CountDownLatch ready;
    private final CountDownLatch go = new CountDownLatch(1);
    private final CountDownLatch done;

    private ConcurrentCalls(List<? extends Callable<? extends T>> calls) {
        results = new AtomicReferenceArray<>(calls.size());
        ready = new CountDownLatch(calls.size());
        done = new CountDownLatch(calls.size());
        for (int i = 0; i < calls.size(); i++) {
            int index = i;
            Callable<? extends T> call = calls.get(i);
            Thread thread = new Thread(() -> perform(index, call), "concurrent-call-" + index);
            thread.setDaemon(true);
            threads.add(thread);
        }
    }

    public static <T> CallResults<T> run(int threads, Callable<? extends T> call) {
        return ConcurrentCalls.<T>start(threads, call).await();
    }

    public static CallResults<Void> run(int threads, Action action) {
        return start(threads, action).await();
    }

    public static <T> CallResults<T> run(int threads, IndexedCall<? extends T> call) {
        return ConcurrentCalls.<T>start(threads, call).await();
    }

    public static <T> CallResults<T> run(List<? extends Callable<? extends T>> calls) {
        return ConcurrentCalls.<T>start(calls).await();
    }

    public static <T> ConcurrentCalls<T> start(int threads, Callable<? extends T> call) {
        return start(Collections.nCopies(threads, call));
    }

    public static ConcurrentCalls<Void> start(int threads, Action action) {
        Callable<Void> call = () -> {
            action.run();
            return null;
        };
        return start(Collections.nCopies(threads, call));
    }

    /** The call is given its index, 0 to threads - 1. */
    public static <T> ConcurrentCalls<T> start(int threads, IndexedCall<? extends T> call) {
        return start(IntStream.range(0, threads)
                .<Callable<T>>mapToObj(index -> () -> call.call(index))
                .toList());
    }

    public static <T> ConcurrentCalls<T> start(List<? extends Callable<? extends T>> calls) {
        ConcurrentCalls<T> running = new ConcurrentCalls<>(calls);
        running.threads.forEach(Thread::start);
        running.await(running.ready, TIMEOUT, "were ready to start");
        running.go.countDown();
        return running;
    }

    public boolean isDone() {
        return done.getCount() == 0;
    }

    public CallResults<T> await() {
        return await(TIMEOUT);
    }

    /** Fails, showing where the calls hang, when they have not all ended in time; they are interrupted then. */
    public CallResults<T> await(Duration timeout) {
        await(done, timeout, "ended");
        return new CallResults<>(
                IntStream.range(0, results.length()).mapToObj(results::get).toList());
    }

    private void perform(int index, Callable<? extends T> call) {
        ready.countDown();
        T value = null;
        Throwable failure = null;
        long start = System.nanoTime();
        try {
            go.await();
            start = System.nanoTime();
            value = call.call();
        } catch (Throwable e) {
            failure = e;
        }
        results.set(index, new CallResult<>(index, value, failure, Duration.ofNanos(System.nanoTime() - start)));
        done.countDown();
    }

    private void await(CountDownLatch latch, Duration timeout, String what) {
        try {
            if (!latch.await(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
                throw hanging(timeout, what);
            }
        } catch (InterruptedException e) {
            threads.forEach(Thread::interrupt);
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while waiting for concurrent calls", e);
        }
    }

    private AssertionError hanging(Duration timeout, String what) {
        AssertionError error = new AssertionError("Not all calls " + what + " within " + timeout);
        for (Thread thread : threads) {
            if (thread.isAlive()) {
                Exception where = new Exception(thread.getName() + " hangs here");
                where.setStackTrace(thread.getStackTrace());
                error.addSuppressed(where);
                thread.interrupt();
            }
        }
        return error;
    }

    /** A call without a result. */
    @FunctionalInterface
    public interface Action {
        void run() throws Exception;
    }

    /** A call that is told which of the calls it is. */
    @FunctionalInterface
    public interface IndexedCall<T> {
        T call(int index) throws Exception;
    }
}
