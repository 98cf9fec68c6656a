package io.idempotency.benchmarks.call;

import org.springframework.transaction.annotation.Transactional;

import io.idempotency.benchmarks.effect.Effect;
import io.idempotency.benchmarks.effect.Payment;
import io.idempotency.benchmarks.effect.Receipt;

/** The effect alone, which every call makes. */
class PlainPayments implements PaymentService {

    private final Effect effect;

    PlainPayments(Effect effect) {
        this.effect = effect;
    }

    @Override
    @Transactional
    public Receipt pay(String key, Payment payment) {
        return effect.pay(payment);
    }

    /** The same in one round trip. */
    static class InOneMessage implements PaymentService {

        private final Effect effect;

        InOneMessage(Effect effect) {
            this.effect = effect;
        }

        @Override
        public Receipt pay(String key, Payment payment) {
            return effect.payInOneMessage(payment);
        }
    }
}
