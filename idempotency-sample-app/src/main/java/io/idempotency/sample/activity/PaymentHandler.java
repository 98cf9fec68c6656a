package io.idempotency.sample.activity;

import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

import io.idempotency.outbox.OutboxHandler;
import io.idempotency.sample.payments.PaymentAccepted;

/** Counts payments where no broker carries the messages. */
@Component
@Profile("!kafka")
class PaymentHandler {

    private final Activities activities;

    PaymentHandler(Activities activities) {
        this.activities = activities;
    }

    @OutboxHandler(topic = PaymentAccepted.TOPIC, consumer = Activities.CONSUMER)
    void handle(PaymentAccepted accepted) {
        activities.add(accepted.payment());
    }
}
