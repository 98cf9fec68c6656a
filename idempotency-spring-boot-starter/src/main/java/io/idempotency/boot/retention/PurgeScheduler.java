package io.idempotency.boot.retention;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Future;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.dao.DataAccessException;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.transaction.TransactionException;

import io.idempotency.retention.Purge;

/**
 * Runs the purge again and again while the application runs. Its scheduler is no bean: one would switch off the
 * application's own, and the application's could be busy.
 */
final class PurgeScheduler implements SmartLifecycle {

    private static final Logger logger = LoggerFactory.getLogger(PurgeScheduler.class);

    private final Purge purge;

    private final Duration interval;

    private @Nullable ThreadPoolTaskScheduler scheduler;

    private @Nullable Future<?> runs;

    PurgeScheduler(Purge purge, Duration interval) {
        this.purge = purge;
        this.interval = interval;
    }

    @Override
    public synchronized void start() {
        if (scheduler == null) {
            ThreadPoolTaskScheduler started = new ThreadPoolTaskScheduler();
            started.setThreadNamePrefix("idempotency-purge-");
            started.setDaemon(true);
            started.setWaitForTasksToCompleteOnShutdown(false);
            started.initialize();
            runs = started.scheduleWithFixedDelay(this::run, Instant.now().plus(interval), interval);
            scheduler = started;
        }
    }

    @Override
    public synchronized void stop() {
        if (scheduler != null) {
            if (runs != null) {
                runs.cancel(true);
            }
            scheduler.shutdown();
            scheduler = null;
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return scheduler != null;
    }

    private void run() {
        try {
            purge.run();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } catch (DataAccessException | TransactionException failure) {
            // A purge that was cut short by the end of the application has not failed.
            if (isRunning()) {
                logger.warn(
                        "Expired idempotency rows could not be deleted; the next attempt is in {}", interval, failure);
            }
        }
    }
}
