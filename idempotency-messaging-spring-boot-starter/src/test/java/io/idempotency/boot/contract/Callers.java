package io.idempotency.boot.contract;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.junit.jupiter.api.condition.JRE;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Calls on threads of their own, of any kind, which a test can see waiting. */
final class Callers implements AutoCloseable {

    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final ExecutorService executor;

    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

    private Callers(ExecutorService executor) {
        this.executor = executor;
    }

    /** On virtual threads far more wait than there are carriers, and an interrupted one closes the socket that it reads from. */
    enum Kind {
        PLATFORM_THREADS,
        VIRTUAL_THREADS;

        Callers callers() {
            return this == PLATFORM_THREADS ? onPlatformThreads() : onVirtualThreads();
        }
    }

    /** Returns those that this JVM has. */
    static List<Kind> kinds() {
        return JRE.currentVersionNumber() < 21 ? List.of(Kind.PLATFORM_THREADS) : List.of(Kind.values());
    }

    static Callers onPlatformThreads() {
        return new Callers(Executors.newCachedThreadPool());
    }

    /** By name, because the oldest Java of the library has none. */
    static Callers onVirtualThreads() {
        try {
            return new Callers((ExecutorService)
                    Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null));
        } catch (ReflectiveOperationException older) {
            throw new IllegalStateException("This JVM has no virtual threads", older);
        }
    }

    <T> Call<T> start(Callable<T> call) {
        return new Call<>(executor.submit(() -> {
            threads.add(Thread.currentThread());
            try {
                return call.call();
            } finally {
                threads.remove(Thread.currentThread());
            }
        }));
    }

    <T> List<Call<T>> start(int count, Callable<T> call) {
        List<Call<T>> calls = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            calls.add(start(call));
        }
        return calls;
    }

    /** Until so many of the threads wait, for whatever it is. */
    void awaitWaiting(int count) {
        await().timeout(TIMEOUT)
                .untilAsserted(() -> assertThat(threads)
                        .filteredOn(thread -> thread.getState() == Thread.State.WAITING
                                || thread.getState() == Thread.State.TIMED_WAITING)
                        .hasSize(count));
    }

    void interruptAll() {
        threads.forEach(Thread::interrupt);
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }

    /** A call that runs. */
    static final class Call<T> {

        private final Future<T> future;

        private Call(Future<T> future) {
            this.future = future;
        }

        T answer() {
            try {
                return future.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
            } catch (ExecutionException failed) {
                throw new AssertionError("The call failed", failed.getCause());
            } catch (InterruptedException | TimeoutException hangs) {
                throw new AssertionError("The call hangs", hangs);
            }
        }

        Throwable failure() {
            try {
                throw new AssertionError("The call returned " + future.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS));
            } catch (ExecutionException failed) {
                return failed.getCause();
            } catch (InterruptedException | TimeoutException hangs) {
                throw new AssertionError("The call hangs", hangs);
            }
        }
    }
}
