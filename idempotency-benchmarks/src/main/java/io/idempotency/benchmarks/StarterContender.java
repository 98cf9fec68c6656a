package io.idempotency.benchmarks;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.Idempotent;

/** An annotated method with a response. */
final class StarterContender extends Starter {

    static final String NAME = "starter";

    static final String PIPELINED = "starter-pipelined";

    private final Payments payments;

    StarterContender(ContenderSetup setup) {
        this(NAME, setup);
    }

    private StarterContender(String name, ContenderSetup setup, String... properties) {
        super(name, setup, List.of(Payments.class), properties);
        payments = application.getBean(Payments.class);
    }

    /** Sends the response together with the commit. */
    static StarterContender pipelined(ContenderSetup setup) {
        return new StarterContender(PIPELINED, setup, "idempotency.pipelined-commit=true");
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
