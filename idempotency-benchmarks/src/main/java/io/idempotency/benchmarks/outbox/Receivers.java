package io.idempotency.benchmarks.outbox;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.idempotency.benchmarks.effect.Effect;
import io.idempotency.benchmarks.effect.Payment;
import io.idempotency.outbox.OutboxHandler;
import io.idempotency.outbox.OutboxRecord;
import io.idempotency.outbox.OutboxSender;

/** What the relay gives messages to. */
final class Receivers {

    static final String TOPIC = "payments";

    private Receivers() {}

    /** Inserts a row for each message, in a transaction of its own. */
    static class Handler {

        private final Effect effect;

        private final Deliveries deliveries;

        Handler(Effect effect, Deliveries deliveries) {
            this.effect = effect;
            this.deliveries = deliveries;
        }

        @OutboxHandler(topic = TOPIC)
        void handle(Payment payment) {
            effect.deliver(payment);
            deliveries.arrived(payment.number());
        }
    }

    /** Does nothing, so that only the relay's own work is left. */
    static class NoOpSender implements OutboxSender {

        private final Deliveries deliveries;

        NoOpSender(Deliveries deliveries) {
            this.deliveries = deliveries;
        }

        @Override
        public CompletionStage<Void> send(OutboxRecord message) {
            deliveries.arrived(Integer.parseInt(String.valueOf(message.aggregateId())));
            return CompletableFuture.completedFuture(null);
        }
    }
}
