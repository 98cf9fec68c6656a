package io.idempotency.benchmarks.call;

import org.springframework.transaction.support.TransactionOperations;

import io.idempotency.IdempotencyContext;
import io.idempotency.IdempotencyMode;
import io.idempotency.Idempotent;
import io.idempotency.benchmarks.effect.Effect;
import io.idempotency.benchmarks.effect.Payment;
import io.idempotency.benchmarks.effect.Receipt;

/** An annotated method with a lease. Others record {@value #STEPS} results before its effect. */
class LeasedPayments implements PaymentService {

    private static final int STEPS = 5;

    private final Effect effect;

    LeasedPayments(Effect effect) {
        this.effect = effect;
    }

    @Override
    @Idempotent(scope = "payments", key = "#key", fingerprint = "#payment", mode = IdempotencyMode.LEASED, lease = "1m")
    public Receipt pay(String key, Payment payment) {
        recordSteps(key);
        return effect.payInOneMessage(payment);
    }

    void recordSteps(String key) {}

    /** Runs steps that do nothing. */
    static class Steps extends LeasedPayments {

        Steps(Effect effect) {
            super(effect);
        }

        @Override
        void recordSteps(String key) {
            IdempotencyContext call = IdempotencyContext.current();
            for (int number = 1; number <= STEPS; number++) {
                String result = "result-" + number;
                call.step("step-" + number, String.class, () -> result);
            }
        }
    }

    /** Inserts each result in a transaction of its own. */
    static class Inserts extends LeasedPayments {

        final HandWrittenStore store;

        private final TransactionOperations transactions;

        Inserts(Effect effect, HandWrittenStore store, TransactionOperations transactions) {
            super(effect);
            this.store = store;
            this.transactions = transactions;
        }

        @Override
        void recordSteps(String key) {
            for (int number = 1; number <= STEPS; number++) {
                insert(key, "step-" + number, "result-" + number);
            }
        }

        void insert(String key, String step, String result) {
            transactions.executeWithoutResult(status -> store.insertStep(key, step, result));
        }
    }

    /** Does the same in auto-commit, where the COMMIT is part of the statement's round trip. */
    static class AutoCommittedInserts extends Inserts {

        AutoCommittedInserts(Effect effect, HandWrittenStore store, TransactionOperations transactions) {
            super(effect, store, transactions);
        }

        @Override
        void insert(String key, String step, String result) {
            store.insertStep(key, step, result);
        }
    }
}
