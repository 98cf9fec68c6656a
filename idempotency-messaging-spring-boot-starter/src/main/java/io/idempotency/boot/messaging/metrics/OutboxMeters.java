package io.idempotency.boot.messaging.metrics;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.ToDoubleFunction;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;

import io.idempotency.boot.metrics.BoundedTag;
import io.idempotency.boot.metrics.SampleGauges;
import io.idempotency.messaging.MessageSendFailed;
import io.idempotency.messaging.MessageSent;
import io.idempotency.messaging.MessagingListener;
import io.idempotency.messaging.OutboxSampled;

/** The meters of the outbox. */
final class OutboxMeters implements MessagingListener {

    private final BoundedTag topics = new BoundedTag(MessagingMeters.TOPIC);

    private final MeterProvider<Timer> sent;

    private final MeterProvider<Counter> failed;

    private final MeterProvider<Counter> dead;

    private final SampleGauges<OutboxSampled> outbox;

    private final AtomicBoolean registered = new AtomicBoolean();

    OutboxMeters(MeterRegistry registry, SampleGauges<OutboxSampled> outbox) {
        this.outbox = outbox;
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

    @Override
    public void outboxSampled(OutboxSampled event) {
        outbox.update(event);
        if (registered.getAndSet(true)) {
            return;
        }
        gauge(MessagingMeters.OUTBOX_PENDING, "Messages that wait to be sent", "messages", OutboxSampled::pending);
        gauge(
                MessagingMeters.OUTBOX_DEAD_KEPT,
                "Messages that were given up and are still stored",
                "messages",
                OutboxSampled::dead);
        gauge(
                MessagingMeters.OUTBOX_OLDEST_AGE,
                "Time that the oldest message has been due",
                "seconds",
                sample -> sample.oldest().toMillis() / 1000.0);
    }

    private void gauge(String name, String description, String unit, ToDoubleFunction<OutboxSampled> value) {
        outbox.register(name, description, unit, Tags.empty(), value);
    }
}
