package io.idempotency.boot.retention;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.scheduling.Trigger;
import org.springframework.transaction.TransactionException;

import io.idempotency.internal.retention.Purge;
import io.idempotency.internal.retention.PurgeReport;

/** The scheduler of the purge. */
final class PurgeScheduler extends BackgroundTask {

    private static final Logger logger = LoggerFactory.getLogger(PurgeScheduler.class);

    private final Purge purge;

    private final UnreachedDatabases unreached;

    PurgeScheduler(Purge purge, Trigger trigger, UnreachedDatabases unreached) {
        super("idempotency-purge-", trigger);
        this.purge = purge;
        this.unreached = unreached;
    }

    /** On the thread of the purge, because a database that does not answer must not delay the start. */
    @Override
    void prepare() {
        unreached.warn();
    }

    @Override
    void run() {
        try {
            PurgeReport report = purge.run();
            logger.debug("The purge has ended: {}", report);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } catch (DataAccessException | TransactionException failure) {
            // A shutdown interrupts the purge, which is no failure.
            if (isRunning()) {
                logger.warn("Expired idempotency rows could not be deleted; the next purge tries again", failure);
            }
        }
    }
}
