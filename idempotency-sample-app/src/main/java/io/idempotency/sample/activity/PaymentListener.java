package io.idempotency.sample.activity;

import org.springframework.context.annotation.Profile;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Payload;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.inbox.IdempotentReceiver;
import io.idempotency.sample.payments.PaymentAccepted;

/** Counts payments where Kafka carries the messages, each once however often Kafka delivers it. */
@Component
@Profile("kafka")
class PaymentListener {

    private final Activities activities;

    PaymentListener(Activities activities) {
        this.activities = activities;
    }

    @KafkaListener(topics = PaymentAccepted.TOPIC)
    @Transactional
    @IdempotentReceiver(consumer = Activities.CONSUMER, messageId = "#messageId")
    void receive(@Payload PaymentAccepted accepted, @Header("message-id") String messageId) {
        activities.add(accepted.payment());
    }
}
