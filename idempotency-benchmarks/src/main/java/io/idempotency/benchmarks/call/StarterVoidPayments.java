package io.idempotency.benchmarks.call;

import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.Idempotent;
import io.idempotency.benchmarks.effect.Effect;
import io.idempotency.benchmarks.effect.Payment;
import io.idempotency.benchmarks.effect.Receipt;

/** An annotated method without a response. */
@Import(StarterVoidPayments.Annotated.class)
class StarterVoidPayments implements PaymentService {

    private final Annotated annotated;

    StarterVoidPayments(Annotated annotated) {
        this.annotated = annotated;
    }

    @Override
    public @Nullable Receipt pay(String key, Payment payment) {
        annotated.pay(key, payment);
        return null;
    }

    static class Annotated {

        private final Effect effect;

        Annotated(Effect effect) {
            this.effect = effect;
        }

        @Idempotent(scope = "payments", key = "#key", fingerprint = "#payment")
        @Transactional
        public void pay(String key, Payment payment) {
            effect.pay(payment);
        }
    }
}
