package io.idempotency.benchmarks;

import org.jspecify.annotations.Nullable;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.Idempotent;

/** An annotated method without a response. */
final class StarterVoidContender extends Starter {

    private final Payments payments;

    StarterVoidContender(ContenderSetup setup) {
        super("starter-void", setup, Payments.class);
        payments = application.getBean(Payments.class);
    }

    @Override
    @Nullable Receipt pay(String key, Payment payment) {
        payments.pay(key, payment);
        return null;
    }

    @Override
    boolean replays() {
        return false;
    }

    @Override
    boolean comparesPayloads() {
        return true;
    }

    @Override
    String note() {
        return "no response";
    }

    static class Payments {

        private final CallEffect effect;

        Payments(CallEffect effect) {
            this.effect = effect;
        }

        @Idempotent(scope = SCOPE, key = "#key", fingerprint = "#payment")
        @Transactional
        public void pay(String key, Payment payment) {
            effect.pay(payment);
        }
    }
}
