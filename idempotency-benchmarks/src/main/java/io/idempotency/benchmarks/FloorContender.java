package io.idempotency.benchmarks;

import org.springframework.dao.DuplicateKeyException;
import org.springframework.transaction.support.TransactionOperations;

/**
 * The least that keeps a key: nothing is asked before the effect, and the row is inserted together with the commit. Every
 * repeat makes the effect and rolls it back, and nothing bounds its wait.
 */
final class FloorContender extends HandWritten {

    FloorContender(ContenderSetup setup) {
        super("floor", setup, Service.class);
    }

    @Override
    String note() {
        return "repeats run and roll back";
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
            try {
                return transactions.execute(status -> {
                    Receipt receipt = effect.pay(payment);
                    store.insertAndCommit(key, fingerprint, receipt);
                    return receipt;
                });
            } catch (DuplicateKeyException known) {
                return store.find(key, fingerprint).orElseThrow();
            }
        }
    }
}
