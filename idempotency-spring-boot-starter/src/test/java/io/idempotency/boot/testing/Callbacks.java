package io.idempotency.boot.testing;

import java.util.function.IntConsumer;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** What is done in the callbacks of the open transaction. */
public final class Callbacks {

    private Callbacks() {}

    public static void beforeCommit(Runnable work) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void beforeCommit(boolean readOnly) {
                work.run();
            }
        });
    }

    public static void beforeCompletion(Runnable work) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void beforeCompletion() {
                work.run();
            }
        });
    }

    public static void afterCommit(Runnable work) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCommit() {
                work.run();
            }
        });
    }

    /** Which is told how the transaction ended. */
    public static void afterCompletion(IntConsumer work) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCompletion(int status) {
                work.accept(status);
            }
        });
    }
}
