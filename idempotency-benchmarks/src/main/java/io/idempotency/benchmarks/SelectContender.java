package io.idempotency.benchmarks;

import java.util.Optional;

import org.springframework.transaction.support.TransactionOperations;

/** One SELECT without a transaction where the key is known: the least that a replay can cost. */
final class SelectContender extends HandWritten {

    static final String NAME = "select";

    SelectContender(ContenderSetup setup) {
        super(NAME, setup, Service.class);
    }

    static class Service implements Payments {

        private final HandWrittenStore store;

        private final CallEffect effect;

        private final TransactionOperations transactions;

        Service(HandWrittenStore store, CallEffect effect, TransactionOperations transactions) {
            this.store = store;
            this.effect = effect;
            this.transactions = transactions;
        }

        @Override
        public Receipt pay(String key, Payment payment) {
            byte[] fingerprint = store.fingerprint(payment);
            Optional<Receipt> known = store.find(key, fingerprint);
            return known.isPresent()
                    ? known.get()
                    : transactions.execute(status -> {
                        Receipt receipt = effect.pay(payment);
                        store.insertAndCommit(key, fingerprint, receipt);
                        return receipt;
                    });
        }
    }
}
