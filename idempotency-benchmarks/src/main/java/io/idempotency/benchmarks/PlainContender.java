package io.idempotency.benchmarks;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.transaction.annotation.Transactional;

/** The effect alone, in a transaction. */
final class PlainContender extends CallContender {

    static final String NAME = "plain";

    private final Payments payments;

    PlainContender(ContenderSetup setup) {
        super(NAME, setup, List.of(Payments.class));
        payments = application.getBean(Payments.class);
    }

    @Override
    @Nullable Receipt pay(String key, Payment payment) {
        return payments.pay(payment);
    }

    @Override
    boolean remembers() {
        return false;
    }

    @Override
    String note() {
        return "repeats the effect";
    }

    static class Payments {

        private final CallEffect effect;

        Payments(CallEffect effect) {
            this.effect = effect;
        }

        @Transactional
        public Receipt pay(Payment payment) {
            return effect.pay(payment);
        }
    }
}
