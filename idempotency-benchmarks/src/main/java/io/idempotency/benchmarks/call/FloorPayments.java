package io.idempotency.benchmarks.call;

import org.springframework.dao.DuplicateKeyException;
import org.springframework.transaction.support.TransactionOperations;

import io.idempotency.benchmarks.effect.Effect;
import io.idempotency.benchmarks.effect.Payment;
import io.idempotency.benchmarks.effect.Receipt;

/**
 * The least that keeps a key: nothing is asked before the effect, and the row is inserted together with the commit. Every
 * repeat makes the effect and rolls it back, and nothing bounds its wait.
 */
class FloorPayments implements PaymentService {

    final HandWrittenStore store;

    private final Effect effect;

    private final TransactionOperations transactions;

    FloorPayments(HandWrittenStore store, Effect effect, TransactionOperations transactions) {
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

    /** Asks first, in one SELECT without a transaction: the least that a repeat can cost. */
    static class AskingFirst extends FloorPayments {

        AskingFirst(HandWrittenStore store, Effect effect, TransactionOperations transactions) {
            super(store, effect, transactions);
        }

        @Override
        public Receipt pay(String key, Payment payment) {
            return store.find(key, store.fingerprint(payment)).orElseGet(() -> super.pay(key, payment));
        }
    }
}
