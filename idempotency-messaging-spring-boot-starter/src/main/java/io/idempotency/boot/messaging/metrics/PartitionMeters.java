package io.idempotency.boot.messaging.metrics;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.ToDoubleFunction;

import io.micrometer.core.instrument.Tags;

import io.idempotency.boot.metrics.IdempotencyMeters;
import io.idempotency.boot.metrics.SampleGauges;
import io.idempotency.messaging.MessagingListener;
import io.idempotency.messaging.PartitionSample;

/** The meters of the partitions of handled messages. */
final class PartitionMeters implements MessagingListener {

    private final SampleGauges<PartitionSample> partitions;

    private final AtomicBoolean registered = new AtomicBoolean();

    PartitionMeters(SampleGauges<PartitionSample> partitions) {
        this.partitions = partitions;
    }

    @Override
    public void partitionsSampled(PartitionSample event) {
        partitions.update(event);
        if (registered.getAndSet(true)) {
            return;
        }
        Tags table = Tags.of(IdempotencyMeters.TABLE, event.table());
        gauge(MessagingMeters.PARTITIONS, "Partitions", "partitions", table, PartitionSample::partitions);
        gauge(
                MessagingMeters.PARTITIONS_AHEAD,
                "Partitions for future times",
                "partitions",
                table,
                PartitionSample::ahead);
        gauge(
                MessagingMeters.PARTITIONS_OVERDUE,
                "Time since the next partition should have been opened",
                "seconds",
                table,
                sample -> sample.overdue().toMillis() / 1000.0);
        gauge(
                MessagingMeters.PARTITIONS_PROBLEMS,
                "Problems of the partitions, which health describes",
                "problems",
                table,
                sample -> sample.problems().size());
    }

    private void gauge(
            String name, String description, String unit, Tags table, ToDoubleFunction<PartitionSample> value) {
        partitions.register(name, description, unit, table, value);
    }
}
