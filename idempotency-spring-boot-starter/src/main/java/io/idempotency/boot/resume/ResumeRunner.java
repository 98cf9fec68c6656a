package io.idempotency.boot.resume;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.dao.DataAccessException;
import org.springframework.scheduling.Trigger;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.transaction.TransactionException;

import io.idempotency.internal.resume.CallResumer;
import io.idempotency.internal.resume.ResumableMethods;

/** A background task that resumes calls on its own threads. Stopping waits for the calls that are running. */
final class ResumeRunner implements SmartLifecycle {

    private static final Logger logger = LoggerFactory.getLogger(ResumeRunner.class);

    /** Stopped after web servers and listeners, and before pools are closed. */
    private static final int PHASE = DEFAULT_PHASE - 4096;

    private final CallResumer resumer;

    private final ResumableMethods methods;

    private final IdempotencyResumeProperties properties;

    private volatile @Nullable ThreadPoolTaskScheduler scheduler;

    ResumeRunner(CallResumer resumer, ResumableMethods methods, IdempotencyResumeProperties properties) {
        this.resumer = resumer;
        this.methods = methods;
        this.properties = properties;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }

    @Override
    public synchronized void start() {
        if (scheduler == null && !methods.isEmpty()) {
            resumer.restart();
            ThreadPoolTaskScheduler started = new ThreadPoolTaskScheduler();
            started.setThreadNamePrefix("idempotency-resume-");
            started.setDaemon(true);
            started.setPoolSize(properties.threads());
            started.setWaitForTasksToCompleteOnShutdown(true);
            started.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
            started.setAwaitTerminationMillis(properties.shutdownTimeout().toMillis());
            started.initialize();
            Trigger trigger = context -> context.getClock().instant().plus(jittered(properties.interval()));
            for (int i = 0; i < properties.threads(); i++) {
                Objects.requireNonNull(started.schedule(this::run, trigger));
            }
            scheduler = started;
        }
    }

    /** Returns at random half to three halves of an interval, because threads and instances would search together otherwise. */
    private static Duration jittered(Duration interval) {
        return Duration.ofMillis(
                Math.round(interval.toMillis() * ThreadLocalRandom.current().nextDouble(0.5, 1.5)));
    }

    private void run() {
        try {
            resumer.resumeAll();
        } catch (DataAccessException | TransactionException failure) {
            if (isRunning()) {
                logger.warn("Calls could not be resumed; the next search tries again", failure);
            }
        }
    }

    @Override
    public synchronized void stop() {
        ThreadPoolTaskScheduler running = scheduler;
        if (running != null) {
            scheduler = null;
            resumer.stop();
            running.shutdown();
        }
    }

    @Override
    public boolean isRunning() {
        return scheduler != null;
    }
}
