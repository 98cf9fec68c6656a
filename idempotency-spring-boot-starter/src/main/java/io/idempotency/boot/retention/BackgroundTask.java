package io.idempotency.boot.retention;

import java.util.concurrent.Future;

import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;
import org.springframework.scheduling.Trigger;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * A task that is repeated while the application runs, and interrupted when it stops. Its scheduler is no bean: a bean
 * would replace the application's scheduler, and the application's scheduler could be busy.
 */
abstract class BackgroundTask implements SmartLifecycle {

    private final String threadNamePrefix;

    private final Trigger trigger;

    private @Nullable ThreadPoolTaskScheduler scheduler;

    private @Nullable Future<?> runs;

    BackgroundTask(String threadNamePrefix, Trigger trigger) {
        this.threadNamePrefix = threadNamePrefix;
        this.trigger = trigger;
    }

    /** Does the work once. */
    abstract void run();

    /** Prepares the work, once for each start. */
    void prepare() {}

    @Override
    public final synchronized void start() {
        if (scheduler == null) {
            ThreadPoolTaskScheduler started = new ThreadPoolTaskScheduler();
            started.setThreadNamePrefix(threadNamePrefix);
            started.setDaemon(true);
            started.setWaitForTasksToCompleteOnShutdown(false);
            started.initialize();
            started.execute(this::prepare);
            runs = started.schedule(this::run, trigger);
            scheduler = started;
        }
    }

    @Override
    public final synchronized void stop() {
        if (scheduler != null) {
            if (runs != null) {
                runs.cancel(true);
            }
            scheduler.shutdown();
            scheduler = null;
        }
    }

    @Override
    public final synchronized boolean isRunning() {
        return scheduler != null;
    }
}
