package io.idempotency.benchmarks.call;

import org.springframework.transaction.annotation.Transactional;

import io.idempotency.benchmarks.effect.Effect;
import io.idempotency.benchmarks.effect.Payment;
import io.idempotency.benchmarks.effect.Receipt;

/** A claim with insert-on-conflict, the effect, and an update with the response. */
class HandWrittenPayments implements PaymentService {

    private final HandWrittenStore store;

    private final Effect effect;

    HandWrittenPayments(HandWrittenStore store, Effect effect) {
        this.store = store;
        this.effect = effect;
    }

    @Override
    @Transactional
    public Receipt pay(String key, Payment payment) {
        byte[] fingerprint = store.fingerprint(payment);
        if (!store.claim(key, fingerprint)) {
            return store.find(key, fingerprint).orElseThrow();
        }
        Receipt receipt = effect.pay(payment);
        store.complete(key, receipt);
        return receipt;
    }
}
