package io.idempotency.boot.resume;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.TriggerContext;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

import io.idempotency.boot.background.BackgroundLoop;
import io.idempotency.boot.background.WakeSignal;
import io.idempotency.internal.resume.CallResumer;
import io.idempotency.internal.resume.ResumableMethods;

/**
 * The loop that finds calls to resume, each of which is made by a thread of its own. A call whose lease has expired may hang, so that
 * another one may take its place. Stopping waits for the calls that are running.
 */
final class ResumeRunner extends BackgroundLoop {

    /** Limits the threads if all calls hang, for example because their provider does. */
    private static final int MOST_HANGING_PER_THREAD = 9;

    private final CallResumer resumer;

    private final ResumableMethods methods;

    private final int threads;

    private final Duration pollInterval;

    private final Duration stopTimeout;

    private @Nullable ExecutorService executor;

    /**
     * Creates the loop.
     *
     * @param threads the number of calls that are resumed at the same time
     * @param stopTimeout the longest time that stopping waits for them
     */
    ResumeRunner(
            CallResumer resumer, ResumableMethods methods, int threads, Duration pollInterval, Duration stopTimeout) {
        super("idempotency-resume", stopTimeout, new WakeSignal());
        this.resumer = resumer;
        this.methods = methods;
        this.threads = threads;
        this.pollInterval = pollInterval;
        this.stopTimeout = stopTimeout;
    }

    @Override
    public synchronized void start() {
        if (!isRunning() && !methods.isEmpty()) {
            CustomizableThreadFactory factory = new CustomizableThreadFactory("idempotency-resume-");
            factory.setDaemon(true);
            executor = Executors.newCachedThreadPool(factory);
            super.start();
        }
    }

    @Override
    public synchronized void stop() {
        super.stop();
        ExecutorService running = executor;
        if (running != null) {
            executor = null;
            running.shutdown();
            try {
                running.awaitTermination(stopTimeout.toNanos(), TimeUnit.NANOSECONDS);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    protected void round() {
        ExecutorService running = executor;
        if (running != null) {
            resumer.resumeAll(
                    () -> !isEnding() && isThreadFree(),
                    call -> running.execute(() -> {
                        call.run();
                        wake();
                    }));
        }
    }

    private boolean isThreadFree() {
        return resumer.count(false) < threads
                && resumer.count(true) < threads + (long) threads * MOST_HANGING_PER_THREAD;
    }

    @Override
    protected Instant nextRound(TriggerContext context, int failures) {
        return context.getClock().instant().plus(pollInterval);
    }

    @Override
    protected String describe(Throwable failure) {
        return "Calls could not be resumed; the next search tries again";
    }
}
