package io.idempotency.boot.messaging.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

import io.idempotency.boot.metrics.BoundedTag;
import io.idempotency.messaging.MessageSendFailed;
import io.idempotency.messaging.MessageSent;
import io.idempotency.messaging.MessagingListener;

/** The meters of what a relay sends. */
final class OutboxMeters implements MessagingListener {

    private final BoundedTag topics = new BoundedTag(MessagingMeters.TOPIC);

    private final MeterProvider<Timer> sent;

    private final MeterProvider<Counter> failed;

    private final MeterProvider<Counter> dead;

    OutboxMeters(MeterRegistry registry) {
        this.sent = Timer.builder(MessagingMeters.OUTBOX_SENT)
                .description("Messages that were sent, from the time that they were due")
                .withRegistry(registry);
        this.failed = Counter.builder(MessagingMeters.OUTBOX_FAILED)
                .description("Attempts to send a message that failed")
                .withRegistry(registry);
        this.dead = Counter.builder(MessagingMeters.OUTBOX_DEAD)
                .description("Messages that were given up")
                .withRegistry(registry);
    }

    @Override
    public void messageSent(MessageSent event) {
        sent.withTags(MessagingMeters.TOPIC, topics.valueOf(event.topic())).record(event.latency());
    }

    @Override
    public void messageSendFailed(MessageSendFailed event) {
        String topic = topics.valueOf(event.topic());
        failed.withTags(MessagingMeters.TOPIC, topic).increment();
        if (event.dead()) {
            dead.withTags(MessagingMeters.TOPIC, topic).increment();
        }
    }
}
