package io.idempotency.boot.retention;

import java.time.Instant;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.scheduling.Trigger;
import org.springframework.scheduling.TriggerContext;

import io.idempotency.boot.background.BackgroundLoop;
import io.idempotency.internal.retention.Purge;
import io.idempotency.internal.retention.PurgeReport;

/** The loop of the purge. */
final class PurgeScheduler extends BackgroundLoop {

    private static final Logger logger = LoggerFactory.getLogger(PurgeScheduler.class);

    private final Purge purge;

    private final Trigger trigger;

    private final UnreachedDatabases unreached;

    PurgeScheduler(Purge purge, Trigger trigger, UnreachedDatabases unreached) {
        super("idempotency-purge-1");
        this.purge = purge;
        this.trigger = trigger;
        this.unreached = unreached;
    }

    /** On the thread of the purge, because a database that does not answer must not delay the start. */
    @Override
    protected void prepare() {
        unreached.warn();
    }

    @Override
    protected void round() throws InterruptedException {
        PurgeReport report = purge.run();
        logger.debug("The purge has ended: {}", report);
    }

    @Override
    protected @Nullable Instant nextRound(TriggerContext context, int failures) {
        return trigger.nextExecution(context);
    }

    @Override
    protected String describe(Throwable failure) {
        return "Expired idempotency rows could not be deleted; the next purge tries again";
    }
}
