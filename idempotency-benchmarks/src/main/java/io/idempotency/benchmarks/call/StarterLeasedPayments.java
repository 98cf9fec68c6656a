package io.idempotency.benchmarks.call;

import org.springframework.transaction.annotation.Transactional;

import io.idempotency.IdempotencyMode;
import io.idempotency.Idempotent;
import io.idempotency.benchmarks.effect.Effect;
import io.idempotency.benchmarks.effect.Payment;
import io.idempotency.benchmarks.effect.Receipt;

/** An annotated method whose claim is committed before it runs, and whose completion is part of its transaction. */
class StarterLeasedPayments implements PaymentService {

    private final Effect effect;

    StarterLeasedPayments(Effect effect) {
        this.effect = effect;
    }

    @Override
    @Idempotent(scope = "payments", key = "#key", fingerprint = "#payment", mode = IdempotencyMode.LEASED)
    @Transactional
    public Receipt pay(String key, Payment payment) {
        return effect.pay(payment);
    }
}
