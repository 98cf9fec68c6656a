package io.idempotency.boot.resume;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.dao.DataAccessException;
import org.springframework.scheduling.Trigger;
import org.springframework.scheduling.TriggerContext;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.transaction.TransactionException;

import io.idempotency.internal.resume.CallResumer;
import io.idempotency.internal.resume.ResumableMethods;

/**
 * A background task that resumes calls on its own threads. A call that outlives its lease may hang, so that another thread takes the
 * place of its own. Stopping waits for the calls that are running.
 */
final class ResumeRunner implements SmartLifecycle {

    private static final Logger logger = LoggerFactory.getLogger(ResumeRunner.class);

    /** Stopped after web servers and listeners, and before pools are closed. */
    private static final int PHASE = DEFAULT_PHASE - 4096;

    /** Limits the threads if all calls hang, for example because their provider does. */
    private static final int MOST_SEARCHES_PER_THREAD = 10;

    private final CallResumer resumer;

    private final ResumableMethods methods;

    private final IdempotencyResumeProperties properties;

    /** Those whose thread was replaced included, until they end. */
    private final Set<Search> searches = ConcurrentHashMap.newKeySet();

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
            ThreadPoolTaskScheduler started = new ThreadPoolTaskScheduler();
            started.setThreadNamePrefix("idempotency-resume-");
            started.setDaemon(true);
            started.setPoolSize(properties.threads() + 1);
            started.setWaitForTasksToCompleteOnShutdown(true);
            started.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
            started.setAwaitTerminationMillis(properties.shutdownTimeout().toMillis());
            started.initialize();
            scheduler = started;
            searches.clear();
            for (int i = 0; i < properties.threads(); i++) {
                schedule(started);
            }
            Objects.requireNonNull(started.schedule(() -> replaceOverdue(started), this::afterInterval));
        }
    }

    private void schedule(ThreadPoolTaskScheduler started) {
        Search search = new Search(started);
        searches.add(search);
        Objects.requireNonNull(started.schedule(search, search));
    }

    /** Returns at random half to three halves of an interval, because threads and instances would search together otherwise. */
    private Instant afterInterval(TriggerContext context) {
        double part = ThreadLocalRandom.current().nextDouble(0.5, 1.5);
        return context.getClock()
                .instant()
                .plus(Duration.ofMillis(Math.round(properties.interval().toMillis() * part)));
    }

    private void replaceOverdue(ThreadPoolTaskScheduler started) {
        Set<Thread> overdue = resumer.reportOverdue();
        for (Search search : searches) {
            if (!search.isReplaced
                    && overdue.contains(search.thread)
                    && searches.size() < properties.threads() * MOST_SEARCHES_PER_THREAD) {
                search.isReplaced = true;
                schedule(started);
            }
        }
        started.setPoolSize(searches.size() + 1);
    }

    @Override
    public synchronized void stop() {
        ThreadPoolTaskScheduler running = scheduler;
        if (running != null) {
            scheduler = null;
            running.shutdown();
        }
    }

    @Override
    public boolean isRunning() {
        return scheduler != null;
    }

    /** The repeated search of one thread, which ends if another one has taken its place. */
    private final class Search implements Runnable, Trigger {

        private final ThreadPoolTaskScheduler scheduledBy;

        private volatile @Nullable Thread thread;

        private volatile boolean isReplaced;

        Search(ThreadPoolTaskScheduler scheduledBy) {
            this.scheduledBy = scheduledBy;
        }

        @Override
        public void run() {
            thread = Thread.currentThread();
            try {
                resumer.resumeAll(this::goesOn);
            } catch (DataAccessException | TransactionException failure) {
                if (isRunning()) {
                    logger.warn("Calls could not be resumed; the next search tries again", failure);
                }
            } finally {
                thread = null;
            }
        }

        private boolean goesOn() {
            return !isReplaced && scheduler == scheduledBy;
        }

        @Override
        public @Nullable Instant nextExecution(TriggerContext context) {
            if (isReplaced) {
                searches.remove(this);
                return null;
            }
            return afterInterval(context);
        }
    }
}
