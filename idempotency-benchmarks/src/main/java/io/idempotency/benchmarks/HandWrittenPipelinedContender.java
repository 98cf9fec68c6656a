package io.idempotency.benchmarks;

import org.springframework.transaction.annotation.Transactional;

/** As {@link HandWrittenContender}, with the fewest round trips: the response travels together with the commit. */
final class HandWrittenPipelinedContender extends HandWritten {

    HandWrittenPipelinedContender(ContenderSetup setup) {
        super("hand-written-pipelined", setup, Service.class);
    }

    @Override
    String note() {
        return "commits by itself";
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
            store.completeAndCommit(key, receipt);
            return receipt;
        }
    }
}
