package io.idempotency.benchmarks.call;

import org.springframework.transaction.annotation.Transactional;

import io.idempotency.IdempotencyMode;
import io.idempotency.Idempotent;
import io.idempotency.benchmarks.effect.Effect;
import io.idempotency.benchmarks.effect.Payment;
import io.idempotency.benchmarks.effect.Receipt;

/** An annotated method whose key is claimed with the COMMIT. */
class StarterOptimisticPayments implements PaymentService {

    private final Effect effect;

    StarterOptimisticPayments(Effect effect) {
        this.effect = effect;
    }

    @Override
    @Idempotent(scope = "payments", key = "#key", fingerprint = "#payment", mode = IdempotencyMode.OPTIMISTIC)
    @Transactional
    public Receipt pay(String key, Payment payment) {
        return effect.pay(payment);
    }
}
