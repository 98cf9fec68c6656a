package io.idempotency.boot.messaging.operations;

import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

import io.idempotency.boot.messaging.metrics.MessagingMeters;
import io.idempotency.boot.sample.HealthDetail;
import io.idempotency.boot.sample.SampledPart;
import io.idempotency.messaging.MessagingListener;
import io.idempotency.messaging.OutboxSampled;

/** The outbox. An instance that sends no messages takes no sample of it. */
final class OutboxPart extends SampledPart<OutboxSampled> implements MessagingListener {

    private final Duration maxOutboxAge;

    OutboxPart(Duration interval, Duration maxOutboxAge, Clock clock) {
        super("outbox", interval, clock);
        this.maxOutboxAge = maxOutboxAge;
    }

    @Override
    public void outboxSampled(OutboxSampled event) {
        update(event);
    }

    @Override
    protected List<Figure> figuresOf(OutboxSampled sample) {
        return List.of(
                new Figure(
                        MessagingMeters.OUTBOX_PENDING,
                        "Messages that wait to be sent",
                        "messages",
                        null,
                        sample.pending()),
                new Figure(
                        MessagingMeters.OUTBOX_DEAD_KEPT,
                        "Messages that were given up and are still stored",
                        "messages",
                        null,
                        sample.dead()),
                Figure.ofSeconds(
                        MessagingMeters.OUTBOX_OLDEST_AGE,
                        "Time that the oldest message has been due",
                        null,
                        sample.oldest()));
    }

    @Override
    public Optional<HealthDetail> health(Duration maxSampleAge) {
        Taken<OutboxSampled> taken = taken();
        HealthDetail detail = HealthDetail.ofSample("outbox", taken, OutboxSampled::oldest, maxOutboxAge, maxSampleAge);
        if (taken != null && !taken.sample().lateTopics().isEmpty()) {
            detail.members().put("lateTopics", taken.sample().lateTopics());
        }
        return Optional.of(detail);
    }
}
