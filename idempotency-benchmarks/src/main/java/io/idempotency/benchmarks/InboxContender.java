package io.idempotency.benchmarks;

import org.jspecify.annotations.Nullable;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.IdempotentReceiver;

/** A message at a time, handled once by an annotated method. */
final class InboxContender extends Starter {

    private final Payments payments;

    InboxContender(ContenderSetup setup) {
        super("inbox", setup, Payments.class);
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
    String note() {
        return "no response, no fingerprint";
    }

    static class Payments {

        private final CallEffect effect;

        Payments(CallEffect effect) {
            this.effect = effect;
        }

        @IdempotentReceiver(consumer = "payments", messageId = "#messageId")
        @Transactional
        public void pay(String messageId, Payment payment) {
            effect.pay(payment);
        }
    }
}
