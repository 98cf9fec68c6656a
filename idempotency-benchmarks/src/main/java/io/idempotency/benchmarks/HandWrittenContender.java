package io.idempotency.benchmarks;

import org.springframework.transaction.annotation.Transactional;

/** A claim with insert-on-conflict, and an update with the response. */
final class HandWrittenContender extends HandWritten {

    static final String NAME = "hand-written";

    HandWrittenContender(ContenderSetup setup) {
        super(NAME, setup, Service.class);
    }

    static class Service implements Payments {

        private final HandWrittenStore store;

        private final CallEffect effect;

        Service(HandWrittenStore store, CallEffect effect) {
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
}
