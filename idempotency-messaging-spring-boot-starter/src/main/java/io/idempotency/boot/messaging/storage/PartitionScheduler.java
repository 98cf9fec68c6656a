package io.idempotency.boot.messaging.storage;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.Trigger;
import org.springframework.scheduling.TriggerContext;

import io.idempotency.boot.background.BackgroundLoop;
import io.idempotency.internal.postgres.partition.PartitionMaintenance;

/** The loop of the maintenance of partitions. It soon repeats a run that a lock holder prevented. */
final class PartitionScheduler extends BackgroundLoop {

    private static final Duration SOON = Duration.ofSeconds(1);

    private final PartitionMaintenance maintenance;

    private final Trigger first;

    private final Duration interval;

    private boolean isPrevented;

    /**
     * Creates the scheduler.
     *
     * @param interval the time from the end of one run to the start of the next one
     */
    PartitionScheduler(PartitionMaintenance maintenance, Trigger first, Duration interval) {
        super("idempotency-partitions-1");
        this.maintenance = maintenance;
        this.first = first;
        this.interval = interval;
    }

    @Override
    protected void round() throws InterruptedException {
        isPrevented = false;
        isPrevented = !maintenance.run();
    }

    @Override
    protected @Nullable Instant nextRound(TriggerContext context, int failures) {
        Instant last = context.lastCompletion();
        return last == null
                ? first.nextExecution(context)
                : last.plus(isPrevented && SOON.compareTo(interval) < 0 ? SOON : interval);
    }

    @Override
    protected String describe(Throwable failure) {
        return "The partitions of the idempotency tables could not be maintained; it is tried again. Messages are still stored,"
                + " but not deleted. " + failure.getMessage()
                + ". Only the owner of the tables may maintain them: if this role"
                + " is not the owner, name the owner with idempotency.storage.maintenance-role, or set"
                + " idempotency.storage.maintenance = false where another instance does it";
    }
}
