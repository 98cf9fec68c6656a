package io.idempotency.benchmarks;

import org.jspecify.annotations.Nullable;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.Idempotent;

/** An annotated method with a response. */
final class StarterContender extends Starter {

    static final String NAME = "starter";

    private final Payments payments;

    StarterContender(ContenderSetup setup) {
        super(NAME, setup, Payments.class);
        payments = application.getBean(Payments.class);
    }

    @Override
    @Nullable Receipt pay(String key, Payment payment) {
        return payments.pay(key, payment);
    }

    static class Payments {

        private final CallEffect effect;

        Payments(CallEffect effect) {
            this.effect = effect;
        }

        @Idempotent(scope = SCOPE, key = "#key", fingerprint = "#payment")
        @Transactional
        public Receipt pay(String key, Payment payment) {
            return effect.pay(payment);
        }
    }
}
