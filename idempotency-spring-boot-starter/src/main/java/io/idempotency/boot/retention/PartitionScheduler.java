package io.idempotency.boot.retention;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicBoolean;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.scheduling.Trigger;
import org.springframework.transaction.TransactionException;

import io.idempotency.internal.retention.PartitionMaintenance;

/**
 * The scheduler of the maintenance of partitions. It soon repeats a run that a lock holder prevented, and reports only
 * the first of consecutive failures.
 */
final class PartitionScheduler extends BackgroundTask {

    private static final Logger logger = LoggerFactory.getLogger(PartitionScheduler.class);

    private static final Duration SOON = Duration.ofSeconds(1);

    private final PartitionMaintenance maintenance;

    private final AtomicBoolean again;

    private boolean failing;

    /**
     * Creates the scheduler.
     *
     * @param first the trigger of the first run
     * @param interval the time from the end of one run to the start of the next one
     */
    PartitionScheduler(PartitionMaintenance maintenance, Trigger first, Duration interval) {
        this(maintenance, first, interval, new AtomicBoolean());
    }

    private PartitionScheduler(
            PartitionMaintenance maintenance, Trigger first, Duration interval, AtomicBoolean again) {
        super("idempotency-partitions-", every(first, interval, again));
        this.maintenance = maintenance;
        this.again = again;
    }

    private static Trigger every(Trigger first, Duration interval, AtomicBoolean again) {
        Duration soon = SOON.compareTo(interval) < 0 ? SOON : interval;
        return context -> {
            Instant last = context.lastCompletion();
            return last == null ? first.nextExecution(context) : last.plus(again.get() ? soon : interval);
        };
    }

    @Override
    void run() {
        try {
            again.set(!maintenance.run());
            failing = false;
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } catch (DataAccessException | TransactionException failure) {
            again.set(false);
            if (!failing && isRunning()) {
                logger.warn(
                        "The partitions of the idempotency tables could not be maintained; it is tried again. Messages"
                                + " are still stored, but not deleted. {}. Only the owner of the tables may"
                                + " maintain them: if this role is not the owner, name the owner with"
                                + " idempotency.storage.maintenance-role, or set"
                                + " idempotency.storage.maintenance = false where another instance does it",
                        failure.getMessage(),
                        failure);
            }
            failing = true;
        }
    }
}
