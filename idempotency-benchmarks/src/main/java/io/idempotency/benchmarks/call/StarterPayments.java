package io.idempotency.benchmarks.call;

import org.springframework.transaction.annotation.Transactional;

import io.idempotency.Idempotent;
import io.idempotency.benchmarks.effect.Effect;
import io.idempotency.benchmarks.effect.Payment;
import io.idempotency.benchmarks.effect.Receipt;

/** An annotated method with a response. */
class StarterPayments implements PaymentService {

    private final Effect effect;

    StarterPayments(Effect effect) {
        this.effect = effect;
    }

    @Override
    @Idempotent(scope = "payments", key = "#key", fingerprint = "#payment")
    @Transactional
    public Receipt pay(String key, Payment payment) {
        return effect.pay(payment);
    }
}
