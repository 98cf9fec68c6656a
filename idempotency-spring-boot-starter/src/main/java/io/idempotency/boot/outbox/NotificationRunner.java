package io.idempotency.boot.outbox;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

import io.idempotency.internal.outbox.OutboxChannel;

/**
 * A background task that wakes the relays of other instances after local commits, and the local relay after commits of
 * other instances. Many commits share a notification.
 */
final class NotificationRunner implements SmartLifecycle {

    private static final Logger logger = LoggerFactory.getLogger(NotificationRunner.class);

    private static final int PHASE = DEFAULT_PHASE - 4096;

    private static final Duration POLL = Duration.ofMillis(500);

    /** Commits within this time share a notification. */
    private static final Duration COALESCED = Duration.ofMillis(50);

    private static final Duration RECONNECT = Duration.ofMillis(500);

    private final OutboxChannel channel;

    private final RelaySignal relay;

    private final boolean listens;

    private final Duration pollInterval;

    private final RelaySignal commits = new RelaySignal();

    private final List<Thread> threads = new ArrayList<>();

    private CountDownLatch stopped = new CountDownLatch(1);

    /**
     * Creates the runner.
     *
     * @param relay the signal of the local relay
     * @param listens whether this instance has a relay
     * @param pollInterval the poll interval of the relay, for the log
     */
    NotificationRunner(OutboxChannel channel, RelaySignal relay, boolean listens, Duration pollInterval) {
        this.channel = channel;
        this.relay = relay;
        this.listens = listens;
        this.pollInterval = pollInterval;
    }

    /** Notifies other instances soon, but not on the thread of the commit. */
    void notifyOthers() {
        commits.wake();
    }

    @Override
    public int getPhase() {
        return PHASE;
    }

    @Override
    public synchronized void start() {
        if (threads.isEmpty()) {
            stopped = new CountDownLatch(1);
            CountDownLatch end = stopped;
            startThread("idempotency-outbox-notify", () -> notifyUntil(end));
            if (listens) {
                startThread("idempotency-outbox-listen", () -> listenUntil(end));
            }
        }
    }

    private void startThread(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
        threads.add(thread);
    }

    /** Waits until the listening connection is returned to its pool, which may be closed next. */
    @Override
    public synchronized void stop() {
        stopped.countDown();
        commits.wake();
        try {
            for (Thread thread : threads) {
                thread.join(POLL.multipliedBy(4).toMillis());
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        threads.forEach(Thread::interrupt);
        threads.clear();
    }

    @Override
    public synchronized boolean isRunning() {
        return !threads.isEmpty();
    }

    private void notifyUntil(CountDownLatch end) {
        try {
            while (end.getCount() > 0) {
                if (commits.await(POLL) && end.getCount() > 0) {
                    notifyNow();
                }
                if (end.await(COALESCED.toMillis(), TimeUnit.MILLISECONDS)) {
                    return;
                }
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }

    private void notifyNow() {
        try {
            channel.announce();
        } catch (RuntimeException failure) {
            logger.debug("Other instances were not notified of messages to send; their polls find them", failure);
        }
    }

    private void listenUntil(CountDownLatch end) {
        AtomicInteger failures = new AtomicInteger();
        try {
            while (end.getCount() > 0) {
                try {
                    channel.listen(
                            () -> {
                                failures.set(0);
                                relay.wake();
                            },
                            () -> end.getCount() == 0,
                            POLL);
                } catch (RuntimeException lost) {
                    if (failures.getAndIncrement() == 0 && end.getCount() > 0) {
                        logger.warn(
                                "The connection that listens for messages to send was lost; until there is another one,"
                                        + " they are found by the poll every {}",
                                pollInterval,
                                lost);
                    }
                    if (end.await(RECONNECT.toMillis(), TimeUnit.MILLISECONDS)) {
                        return;
                    }
                }
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }
}
