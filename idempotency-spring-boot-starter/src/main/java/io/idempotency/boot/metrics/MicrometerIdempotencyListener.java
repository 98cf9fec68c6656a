package io.idempotency.boot.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

import io.idempotency.observation.CallCompleted;
import io.idempotency.observation.IdempotencyListener;
import io.idempotency.observation.MessageReceived;
import io.idempotency.observation.RowsPurged;

/**
 * Keeps the meters of the library. Their tags are the scopes and consumers of the application, the closed set of outcomes and the
 * library's tables; never a key or a message id.
 */
final class MicrometerIdempotencyListener implements IdempotencyListener {

    /** Timer of idempotent calls, by scope and outcome. */
    static final String CALLS = "idempotency.calls";

    /** Timer of received messages, by consumer and outcome. */
    static final String MESSAGES = "idempotency.inbox.messages";

    /** Counter of deleted rows, by table. */
    static final String PURGED = "idempotency.purged";

    private final MeterRegistry registry;

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
    public void rowsPurged(RowsPurged event) {
        Counter.builder(PURGED)
                .description("Expired rows that were deleted")
                .baseUnit("rows")
                .tag("table", event.table())
                .register(registry)
                .increment((double) event.rows());
    }
}
