package io.idempotency.boot.background;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.dao.DataAccessException;
import org.springframework.scheduling.TriggerContext;
import org.springframework.scheduling.support.SimpleTriggerContext;
import org.springframework.transaction.TransactionException;

/**
 * Work that is repeated on a daemon thread of its own while the application runs. A failure does not end the loop, because the work
 * would stop silently; only the first of consecutive failures is reported. Not a task of a scheduler, because the application's
 * could be busy, and a scheduler cannot be woken.
 */
public abstract class BackgroundLoop implements SmartLifecycle {

    /** Stopped after web servers and listeners, for example to send their last messages, and before pools are closed. */
    public static final int PHASE = DEFAULT_PHASE - 4096;

    private final Logger logger = LoggerFactory.getLogger(getClass());

    private final String threadName;

    private final Duration stopTimeout;

    private final WakeSignal signal;

    private volatile @Nullable Thread thread;

    private volatile CountDownLatch end = new CountDownLatch(0);

    /** Held by the thread that does rounds: after a restart its successor waits for the end of the last one. */
    private final Lock turn = new ReentrantLock();

    /** Since the last success; of the thread alone. */
    private int failures;

    /** Set when a failure since the last success has been logged. */
    private boolean isReported;

    /**
     * Creates a loop whose round is interrupted when it is stopped.
     *
     * @param threadName the name of its thread
     */
    protected BackgroundLoop(String threadName) {
        this(threadName, Duration.ZERO, new WakeSignal());
    }

    /**
     * Creates a loop.
     *
     * @param threadName the name of its thread
     * @param stopTimeout the longest time that stopping waits for the round in progress, which is interrupted then
     * @param signal ends a pause, unless it follows a failure
     */
    protected BackgroundLoop(String threadName, Duration stopTimeout, WakeSignal signal) {
        this.threadName = threadName;
        this.stopTimeout = stopTimeout;
        this.signal = signal;
    }

    /** Prepares the work on the thread of the loop, once for each start. */
    protected void prepare() {}

    /**
     * Does the work once.
     *
     * @throws Exception if the work fails; the loop goes on
     */
    protected abstract void round() throws Exception;

    /**
     * Returns the time of the next round.
     *
     * @param context the times of the last round
     * @param failures the number of failures since the last success
     * @return the time; {@code null} to end the loop
     */
    protected abstract @Nullable Instant nextRound(TriggerContext context, int failures);

    /**
     * Describes a failure for the log.
     *
     * @param failure the failure
     * @return what could not be done, and when it is tried again
     */
    protected abstract String describe(Throwable failure);

    @Override
    public int getPhase() {
        return PHASE;
    }

    @Override
    public synchronized void start() {
        if (thread == null) {
            CountDownLatch notEnded = new CountDownLatch(1);
            Thread started = new Thread(() -> runInTurn(notEnded), threadName);
            started.setDaemon(true);
            end = notEnded;
            thread = started;
            started.start();
        }
    }

    @Override
    public synchronized void stop() {
        Thread running = thread;
        if (running != null) {
            end.countDown();
            signal.wake();
            try {
                TimeUnit.NANOSECONDS.timedJoin(running, stopTimeout.toNanos());
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
            running.interrupt();
            thread = null;
        }
    }

    @Override
    public boolean isRunning() {
        return thread != null;
    }

    /** Ends the pause before the next round. */
    public final void wake() {
        signal.wake();
    }

    /** {@return whether the round that this thread does is the last one} */
    protected final boolean isEnding() {
        return end.getCount() == 0 || Thread.currentThread() != thread;
    }

    /** Ends a series of failures. A round that goes on for long may call it before it returns. */
    protected final void succeeded() {
        failures = 0;
    }

    /**
     * Pauses within a round, until the time is over or the loop is stopped.
     *
     * @param time the time
     * @throws InterruptedException if the thread is interrupted
     */
    protected final void pause(Duration time) throws InterruptedException {
        end.await(time.toNanos(), TimeUnit.NANOSECONDS);
    }

    private void runInTurn(CountDownLatch notEnded) {
        turn.lock();
        try {
            run(notEnded);
        } finally {
            turn.unlock();
        }
    }

    private void run(CountDownLatch notEnded) {
        SimpleTriggerContext context = new SimpleTriggerContext();
        boolean isPrepared = false;
        failures = 0;
        while (notEnded.getCount() > 0) {
            try {
                if (!isPrepared) {
                    isPrepared = true;
                    prepare();
                }
                Instant next = nextRound(context, failures);
                if (next == null) {
                    return;
                }
                awaitRound(Duration.between(context.getClock().instant(), next));
                if (notEnded.getCount() > 0) {
                    round(context);
                    succeeded();
                }
            } catch (Throwable failure) {
                // An interrupt is also caught: it ends the loop only if the loop was stopped.
                if (failures++ == 0) {
                    isReported = false;
                }
                if (!isReported && notEnded.getCount() > 0) {
                    report(failure);
                }
            }
        }
    }

    private void awaitRound(Duration time) throws InterruptedException {
        if (time.isNegative() || time.isZero()) {
            return;
        }
        // Commits go on while the database refuses the work, and must not repeat it all the time.
        if (failures > 0) {
            pause(time);
        } else {
            signal.await(time);
        }
    }

    private void round(SimpleTriggerContext context) throws Exception {
        Instant start = context.getClock().instant();
        try {
            round();
        } finally {
            context.update(start, start, context.getClock().instant());
        }
    }

    private void report(Throwable failure) {
        try {
            if (failure instanceof DataAccessException || failure instanceof TransactionException) {
                logger.warn(describe(failure), failure);
            } else {
                logger.error(describe(failure), failure);
            }
            isReported = true;
        } catch (Throwable unreported) {
            // What the work lacks, such as memory, the log may lack too. The next failure is reported then.
        }
    }
}
