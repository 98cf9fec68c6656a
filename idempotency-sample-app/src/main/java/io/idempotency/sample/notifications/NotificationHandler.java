package io.idempotency.sample.notifications;

import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

import io.idempotency.outbox.OutboxHandler;
import io.idempotency.sample.payments.PaymentAccepted;

/** Tells of payments where no broker carries the messages. */
@Component
@Profile("!kafka")
class NotificationHandler {

    private final Notifications notifications;

    NotificationHandler(Notifications notifications) {
        this.notifications = notifications;
    }

    @OutboxHandler(topic = PaymentAccepted.TOPIC, consumer = Notifications.CONSUMER)
    void handle(PaymentAccepted accepted) {
        notifications.send(accepted);
    }
}
