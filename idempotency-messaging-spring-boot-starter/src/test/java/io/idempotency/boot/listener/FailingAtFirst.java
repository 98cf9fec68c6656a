package io.idempotency.boot.listener;

import java.util.concurrent.atomic.AtomicInteger;

import io.idempotency.IdempotencyContext;

/** Makes each deposit at its second attempt: the first one fails when it is made. */
class FailingAtFirst {

    final AtomicInteger failures = new AtomicInteger();

    private final Wallets wallets;

    FailingAtFirst(Wallets wallets) {
        this.wallets = wallets;
    }

    void deposit(Deposit deposit) {
        wallets.deposit(deposit);
        if (IdempotencyContext.current().attempt() == 1) {
            failures.incrementAndGet();
            throw new IllegalStateException("the first attempt fails");
        }
    }
}
