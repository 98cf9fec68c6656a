package io.idempotency.benchmarks.call;

import org.springframework.transaction.annotation.Transactional;

import io.idempotency.benchmarks.effect.Effect;
import io.idempotency.benchmarks.effect.Payment;
import io.idempotency.benchmarks.effect.Receipt;
import io.idempotency.outbox.Outbox;
import io.idempotency.outbox.OutboxMessage;

/** The effect and a message of the outbox, without a key. */
class PublishingPayments implements PaymentService {

    private final Effect effect;

    private final Outbox outbox;

    PublishingPayments(Effect effect, Outbox outbox) {
        this.effect = effect;
        this.outbox = outbox;
    }

    @Override
    @Transactional
    public Receipt pay(String key, Payment payment) {
        Receipt receipt = effect.pay(payment);
        outbox.publish(OutboxMessage.of("payments", "PaymentMade")
                .orderingKey(Integer.toString(payment.account()))
                .payload(payment)
                .build());
        return receipt;
    }
}
