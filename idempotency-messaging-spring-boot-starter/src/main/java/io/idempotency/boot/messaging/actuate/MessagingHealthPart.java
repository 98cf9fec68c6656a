package io.idempotency.boot.messaging.actuate;

import java.util.ArrayList;
import java.util.List;

import io.idempotency.boot.actuate.HealthDetail;
import io.idempotency.boot.actuate.HealthPart;
import io.idempotency.boot.actuate.IdempotencyHealthProperties;
import io.idempotency.boot.retention.LatestSample.Taken;
import io.idempotency.messaging.OutboxSampled;
import io.idempotency.messaging.PartitionSample;

/** The health of the outbox and of the partitions of handled messages. */
record MessagingHealthPart(
        LatestMessagingSamples samples,
        IdempotencyHealthProperties common,
        IdempotencyMessagingHealthProperties properties)
        implements HealthPart {

    @Override
    public List<HealthDetail> details() {
        List<HealthDetail> details = new ArrayList<>();
        Taken<OutboxSampled> outbox = samples.outbox();
        HealthDetail detail = HealthDetail.ofSample(
                "outbox", outbox, OutboxSampled::oldest, properties.maxOutboxAge(), common.maxSampleAge());
        if (outbox != null && !outbox.sample().lateTopics().isEmpty()) {
            detail.members().put("lateTopics", outbox.sample().lateTopics());
        }
        details.add(detail);
        Taken<PartitionSample> partitions = samples.partitions();
        if (partitions != null) {
            details.add(PartitionHealth.of(partitions.sample()));
        }
        return details;
    }
}
