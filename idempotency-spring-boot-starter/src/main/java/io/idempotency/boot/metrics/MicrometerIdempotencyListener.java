package io.idempotency.boot.metrics;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.ToDoubleFunction;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import org.jspecify.annotations.Nullable;

import io.idempotency.observation.CallCompleted;
import io.idempotency.observation.IdempotencyListener;
import io.idempotency.observation.MessageReceived;
import io.idempotency.observation.MessageSendFailed;
import io.idempotency.observation.MessageSent;
import io.idempotency.observation.OutboxSampled;
import io.idempotency.observation.RowsPurged;

/**
 * Keeps the meters of the library. Their tags are the scopes, consumers and topics of the application, the closed set of
 * outcomes and the library's tables; never a key or a message id.
 */
final class MicrometerIdempotencyListener implements IdempotencyListener {

    /** Timer of idempotent calls, by scope and outcome. */
    static final String CALLS = "idempotency.calls";

    /** Timer of received messages, by consumer and outcome. */
    static final String MESSAGES = "idempotency.inbox.messages";

    /** Timer of sent messages, from when they were to be sent, by topic. */
    static final String SENT = "idempotency.outbox.sent";

    /** Counter of attempts that failed, by topic. */
    static final String FAILED = "idempotency.outbox.failed";

    /** Counter of messages that were given up, by topic. */
    static final String DEAD = "idempotency.outbox.dead";

    /** Gauge of messages that wait. */
    static final String PENDING = "idempotency.outbox.pending";

    /** Gauge of messages that are given up and kept. */
    static final String DEAD_KEPT = "idempotency.outbox.dead.kept";

    /** Gauge of the time that the oldest message waits. */
    static final String OLDEST_AGE = "idempotency.outbox.oldest.age";

    /** Counter of deleted rows, by table. */
    static final String PURGED = "idempotency.purged";

    private final MeterRegistry registry;

    /** Of the last look, because a scrape must not ask the database. */
    private final AtomicReference<@Nullable OutboxSampled> outbox = new AtomicReference<>();

    MicrometerIdempotencyListener(MeterRegistry registry) {
        this.registry = registry;
    }

    @Override
    public void callCompleted(CallCompleted event) {
        Timer.builder(CALLS)
                .description("Idempotent calls")
                .tag("scope", event.scope())
                .tag("outcome", event.outcome().tag())
                .register(registry)
                .record(event.duration());
    }

    @Override
    public void messageReceived(MessageReceived event) {
        Timer.builder(MESSAGES)
                .description("Received messages")
                .tag("consumer", event.consumer())
                .tag("outcome", event.outcome().tag())
                .register(registry)
                .record(event.duration());
    }

    @Override
    public void messageSent(MessageSent event) {
        Timer.builder(SENT)
                .description("Messages that were sent, from when they were to be sent")
                .tag("topic", event.topic())
                .register(registry)
                .record(event.latency());
    }

    @Override
    public void messageSendFailed(MessageSendFailed event) {
        count(FAILED, "Attempts to send a message that failed", event.topic());
        if (event.dead()) {
            count(DEAD, "Messages that were given up", event.topic());
        }
    }

    private void count(String name, String description, String topic) {
        Counter.builder(name)
                .description(description)
                .tag("topic", topic)
                .register(registry)
                .increment();
    }

    @Override
    public void outboxSampled(OutboxSampled event) {
        if (outbox.getAndSet(event) != null) {
            return;
        }
        gauge(PENDING, "Messages that wait", "messages", OutboxSampled::pending);
        gauge(DEAD_KEPT, "Messages that are given up", "messages", OutboxSampled::dead);
        gauge(
                OLDEST_AGE,
                "Time that the oldest message waits",
                "seconds",
                sample -> sample.oldest().toMillis() / 1000.0);
    }

    private void gauge(String name, String description, String unit, ToDoubleFunction<OutboxSampled> value) {
        Gauge.builder(name, outbox, sampled -> {
                    OutboxSampled last = sampled.get();
                    return last == null ? Double.NaN : value.applyAsDouble(last);
                })
                .description(description)
                .baseUnit(unit)
                .register(registry);
    }

    @Override
    public void rowsPurged(RowsPurged event) {
        Counter.builder(PURGED)
                .description("Expired rows that were deleted")
                .baseUnit("rows")
                .tag("table", event.table())
                .register(registry)
                .increment((double) event.rows());
    }
}
