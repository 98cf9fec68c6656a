package io.idempotency.boot.outbox;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;

import io.idempotency.internal.outbox.OutboxRelay;

/**
 * A background task that runs the relay on its own thread. Local commits wake the relay; a poll finds all other
 * messages. Stopping waits for the batch in flight.
 */
final class RelayRunner implements SmartLifecycle {

    private static final Logger logger = LoggerFactory.getLogger(RelayRunner.class);

    /** Stopped after web servers and listeners, to send their last messages, and before pools are closed. */
    private static final int PHASE = DEFAULT_PHASE - 4096;

    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);

    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

    private static final int MAX_DOUBLINGS = 10;

    private final OutboxRelay relay;

    private final RelaySignal signal;

    private final Duration pollInterval;

    private final Duration sampleInterval;

    private final Duration stopTimeout;

    private final Runnable startUpCheck;

    private @Nullable Thread thread;

    private CountDownLatch stopped = new CountDownLatch(1);

    /**
     * Creates the runner.
     *
     * @param stopTimeout the longest time that stopping waits for a batch
     * @param startUpCheck throws an exception if the application must not start
     */
    RelayRunner(
            OutboxRelay relay,
            RelaySignal signal,
            Duration pollInterval,
            Duration sampleInterval,
            Duration stopTimeout,
            Runnable startUpCheck) {
        this.relay = relay;
        this.signal = signal;
        this.pollInterval = pollInterval;
        this.sampleInterval = sampleInterval;
        this.stopTimeout = stopTimeout;
        this.startUpCheck = startUpCheck;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }

    @Override
    public synchronized void start() {
        if (thread == null) {
            startUpCheck.run();
            relay.restart();
            stopped = new CountDownLatch(1);
            CountDownLatch end = stopped;
            Thread started = new Thread(() -> run(end), "idempotency-outbox-relay");
            started.setDaemon(true);
            started.start();
            thread = started;
        }
    }

    @Override
    public synchronized void stop() {
        if (thread != null) {
            relay.stop();
            stopped.countDown();
            signal.wake();
            try {
                thread.join(stopTimeout.toMillis());
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
            thread.interrupt();
            thread = null;
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return thread != null;
    }

    /** Runs until it is stopped: if a failure ended it, no more messages would be sent, unnoticed. */
    private void run(CountDownLatch end) {
        long nextSample = System.nanoTime();
        int failures = 0;
        while (end.getCount() > 0) {
            try {
                if (failures > 0) {
                    pause(end, pauseAfter(failures));
                }
                if (System.nanoTime() - nextSample >= 0) {
                    nextSample = System.nanoTime() + sampleInterval.toNanos();
                    relay.sample();
                }
                OutboxRelay.Round round = relay.sendBatch();
                failures = 0;
                if (!round.pause().isZero()) {
                    pause(end, round.pause());
                } else if (!round.more()) {
                    signal.await(pollInterval);
                }
            } catch (Throwable failure) {
                // An interrupt is also caught: it ends the relay only if the relay was stopped.
                if (failures == 0 && end.getCount() > 0) {
                    report(failure);
                }
                failures++;
            }
        }
    }

    /** Returns at most ten seconds, even if the poll interval is longer, so that due messages are soon tried again. */
    private Duration pauseAfter(int failures) {
        Duration first = pollInterval.compareTo(FIRST_PAUSE) < 0 ? pollInterval : FIRST_PAUSE;
        Duration longer = first.multipliedBy(1L << Math.min(failures - 1, MAX_DOUBLINGS));
        return longer.compareTo(LONGEST_PAUSE) < 0 ? longer : LONGEST_PAUSE;
    }

    private static void report(Throwable failure) {
        if (failure instanceof DataAccessException || failure instanceof TransactionException) {
            logger.warn(
                    "Messages of the outbox could not be sent; it is tried again at least every {} s",
                    LONGEST_PAUSE.toSeconds(),
                    failure);
        } else {
            logger.error(
                    "The relay of the outbox failed; it is tried again at least every {} s",
                    LONGEST_PAUSE.toSeconds(),
                    failure);
        }
    }

    /** Pauses until the time is over or the relay is stopped; commits do not wake it. */
    private static void pause(CountDownLatch end, Duration time) throws InterruptedException {
        if (end.await(time.toNanos(), TimeUnit.NANOSECONDS)) {
            logger.debug("The relay of the outbox stops");
        }
    }
}
