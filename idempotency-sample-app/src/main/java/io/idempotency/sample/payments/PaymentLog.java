package io.idempotency.sample.payments;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

import io.idempotency.outbox.OutboxHandler;

/** Hears of payments where no broker carries the messages: one that nobody handles would count as failed. */
@Component
@Profile("!kafka")
class PaymentLog {

    private static final Logger logger = LoggerFactory.getLogger(PaymentLog.class);

    @OutboxHandler(topic = PaymentAccepted.TOPIC, consumer = "payment-log")
    void handle(PaymentAccepted accepted) {
        logger.debug("Payment {} was accepted", accepted.payment().paymentId());
    }
}
