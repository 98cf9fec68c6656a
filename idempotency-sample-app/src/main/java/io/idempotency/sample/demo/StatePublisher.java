package io.idempotency.sample.demo;

import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.dao.DataAccessException;
import org.springframework.stereotype.Component;

/** Shows what is in the database, as long as somebody looks. */
@Component
class StatePublisher implements DisposableBean {

    private static final Logger logger = LoggerFactory.getLogger(StatePublisher.class);

    private static final long BUSY = Duration.ofMillis(150).toNanos();

    /** Other instances may change something too. */
    private static final long IDLE = Duration.ofSeconds(2).toNanos();

    private static final long STAYS_BUSY = Duration.ofSeconds(1).toNanos();

    private final ShownState database;

    private final EventStream stream;

    private final ScheduledExecutorService reader = new ScheduledThreadPoolExecutor(1, task -> {
        Thread thread = new Thread(task, "sample-state");
        thread.setDaemon(true);
        return thread;
    });

    private volatile String key = "";

    private volatile String accountId = "alice";

    private volatile long changed = System.nanoTime();

    private long read = changed - IDLE;

    private volatile @Nullable String published;

    StatePublisher(ShownState database, EventStream stream) {
        this.database = database;
        this.stream = stream;
        var unused = reader.scheduleWithFixedDelay(this::look, BUSY, BUSY, TimeUnit.NANOSECONDS);
    }

    void follow(RunRequest request) {
        key = request.key();
        accountId = request.accountId();
        mayHaveChanged();
    }

    /** A page that was opened has seen nothing yet. */
    void showAgain() {
        published = null;
        mayHaveChanged();
    }

    void mayHaveChanged() {
        changed = System.nanoTime();
    }

    /** Shows what a run has left, also if another one is followed meanwhile, and then does something. */
    void show(RunRequest request, Runnable then) {
        reader.execute(() -> {
            publish(request.key(), request.accountId());
            then.run();
        });
    }

    private void look() {
        long now = System.nanoTime();
        if (now - changed < STAYS_BUSY || now - read > IDLE) {
            read = now;
            publish(key, accountId);
        }
    }

    private void publish(String ofKey, String ofAccount) {
        if (stream.isWatched()) {
            try {
                String state = database.read(ofKey, ofAccount);
                if (!state.equals(published)) {
                    published = state;
                    stream.publish("state", state);
                }
            } catch (DataAccessException failure) {
                logger.debug("The page's state could not be read", failure);
            }
        }
    }

    @Override
    public void destroy() {
        reader.shutdownNow();
    }
}
