package io.idempotency.boot.messaging.actuate;

import java.time.Clock;

import org.jspecify.annotations.Nullable;

import io.idempotency.boot.retention.LatestSample;
import io.idempotency.messaging.MessagingListener;
import io.idempotency.messaging.OutboxSampled;
import io.idempotency.messaging.PartitionSample;

/** The latest samples of the outbox and of the partitions, for the endpoint and the health indicator. */
final class LatestMessagingSamples implements MessagingListener {

    private final LatestSample<OutboxSampled> outbox;

    private final LatestSample<PartitionSample> partitions;

    LatestMessagingSamples(Clock clock) {
        this.outbox = new LatestSample<>(clock);
        this.partitions = new LatestSample<>(clock);
    }

    @Override
    public void outboxSampled(OutboxSampled event) {
        outbox.update(event);
    }

    @Override
    public void partitionsSampled(PartitionSample event) {
        partitions.update(event);
    }

    LatestSample.@Nullable Taken<OutboxSampled> outbox() {
        return outbox.get();
    }

    LatestSample.@Nullable Taken<PartitionSample> partitions() {
        return partitions.get();
    }
}
