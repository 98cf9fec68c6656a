package io.idempotency.benchmarks;

import java.util.Optional;

import org.springframework.transaction.annotation.Transactional;

/** As the pattern literature has it: the row is made sure of, locked and looked at, and updated at the end. */
final class HandWrittenForUpdateContender extends HandWritten {

    HandWrittenForUpdateContender(ContenderSetup setup) {
        super("hand-written-for-update", setup, Service.class);
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
            store.claim(key, fingerprint);
            Optional<Receipt> known = store.findForUpdate(key, fingerprint);
            if (known.isPresent()) {
                return known.get();
            }
            Receipt receipt = effect.pay(payment);
            store.complete(key, receipt);
            return receipt;
        }
    }
}
