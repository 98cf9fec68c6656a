package io.idempotency.sample.notifications;

import org.springframework.context.annotation.Profile;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Payload;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.inbox.IdempotentReceiver;
import io.idempotency.sample.payments.PaymentAccepted;

/** Tells of payments where Kafka carries the messages, in a consumer group of its own. */
@Component
@Profile("kafka")
class NotificationListener {

    private final Notifications notifications;

    NotificationListener(Notifications notifications) {
        this.notifications = notifications;
    }

    @KafkaListener(topics = PaymentAccepted.TOPIC, groupId = Notifications.CONSUMER)
    @Transactional
    @IdempotentReceiver(consumer = Notifications.CONSUMER, messageId = "#messageId")
    void receive(@Payload PaymentAccepted accepted, @Header("message-id") String messageId) {
        notifications.send(accepted);
    }
}
