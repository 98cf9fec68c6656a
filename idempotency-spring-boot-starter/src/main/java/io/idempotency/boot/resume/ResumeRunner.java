package io.idempotency.boot.resume;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;
import org.springframework.scheduling.TriggerContext;

import io.idempotency.boot.background.BackgroundLoop;
import io.idempotency.internal.resume.CallResumer;
import io.idempotency.internal.resume.ResumableMethods;

/**
 * The loops that resume calls. A call that outlives its lease may hang, so that another loop takes the place of its own. Stopping
 * waits for the calls that are running.
 */
final class ResumeRunner implements SmartLifecycle {

    /** Limits the threads if all calls hang, for example because their provider does. */
    private static final int MOST_SEARCHES_PER_THREAD = 10;

    private final CallResumer resumer;

    private final ResumableMethods methods;

    private final IdempotencyResumeProperties properties;

    /** Those whose thread was replaced included, until they end. */
    private final Set<Search> searches = ConcurrentHashMap.newKeySet();

    private final AtomicInteger threads = new AtomicInteger();

    private volatile @Nullable Replacement replacement;

    ResumeRunner(CallResumer resumer, ResumableMethods methods, IdempotencyResumeProperties properties) {
        this.resumer = resumer;
        this.methods = methods;
        this.properties = properties;
    }

    @Override
    public int getPhase() {
        return BackgroundLoop.PHASE;
    }

    @Override
    public synchronized void start() {
        if (replacement == null && !methods.isEmpty()) {
            searches.clear();
            for (int i = 0; i < properties.threads(); i++) {
                startSearch();
            }
            Replacement started = new Replacement();
            started.start();
            replacement = started;
        }
    }

    private void startSearch() {
        Search search = new Search();
        searches.add(search);
        search.start();
    }

    @Override
    public synchronized void stop() {
        Replacement running = replacement;
        if (running != null) {
            replacement = null;
            BackgroundLoop.end(List.of(running), properties.shutdownTimeout());
            BackgroundLoop.end(searches, properties.shutdownTimeout());
        }
    }

    @Override
    public boolean isRunning() {
        return replacement != null;
    }

    /** A loop whose pauses last at random half to three halves of an interval, because threads and instances would search together. */
    private abstract class Loop extends BackgroundLoop {

        Loop() {
            super("idempotency-resume-" + threads.incrementAndGet());
        }

        @Override
        protected @Nullable Instant nextRound(TriggerContext context, int failures) {
            double part = ThreadLocalRandom.current().nextDouble(0.5, 1.5);
            return context.getClock()
                    .instant()
                    .plus(Duration.ofMillis(Math.round(properties.interval().toMillis() * part)));
        }

        @Override
        protected String describe(Throwable failure) {
            return "Calls could not be resumed; the next search tries again";
        }
    }

    /** The loop that starts another search for each one whose call has outlived its lease. */
    private final class Replacement extends Loop {

        @Override
        protected void round() {
            Set<Thread> overdue = resumer.reportOverdue();
            for (Search search : searches) {
                if (!search.isReplaced
                        && overdue.contains(search.thread)
                        && searches.size() < properties.threads() * MOST_SEARCHES_PER_THREAD) {
                    search.isReplaced = true;
                    startSearch();
                }
            }
        }
    }

    /** The repeated search of one thread, which ends if another one has taken its place. */
    private final class Search extends Loop {

        private volatile @Nullable Thread thread;

        private volatile boolean isReplaced;

        @Override
        protected void round() {
            thread = Thread.currentThread();
            try {
                resumer.resumeAll(() -> !isReplaced && !isEnding());
            } finally {
                thread = null;
            }
        }

        @Override
        protected @Nullable Instant nextRound(TriggerContext context, int failures) {
            if (isReplaced) {
                searches.remove(this);
                return null;
            }
            return super.nextRound(context, failures);
        }
    }
}
