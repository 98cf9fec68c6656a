package io.idempotency.boot.contract;

import java.util.UUID;

import org.springframework.transaction.annotation.Transactional;

import io.idempotency.IdempotencyContext;
import io.idempotency.inbox.ConflictPolicy;
import io.idempotency.inbox.IdempotentReceiver;

/** Receivers whose effect is that of {@link Payments}: it cannot be overlooked if it is made twice. */
class Bookings extends PayingBean {

    static final String ACCOUNT = "a1";

    /** Tells which attempt it was. */
    @Transactional
    @IdempotentReceiver(consumer = "bookings", messageId = "#id")
    public Integer book(String id, long cents) {
        makeEffect(cents);
        return IdempotencyContext.current().attempt();
    }

    @Transactional
    @IdempotentReceiver(consumer = "reports", messageId = "#id")
    public void report(String id, long cents) {
        makeEffect(cents);
    }

    @IdempotentReceiver(consumer = "bookings-no-transaction", messageId = "#id")
    public String bookWithoutTransactional(String id, long cents) {
        makeEffect(cents);
        return "booked";
    }

    @Transactional
    @IdempotentReceiver(consumer = "bookings-refusing", messageId = "#id", payload = "#cents", type = "'booking'")
    public String bookOrRefuse(String id, long cents) {
        makeEffect(cents);
        return "booked";
    }

    @Transactional
    @IdempotentReceiver(
            consumer = "bookings-skipping",
            messageId = "#id",
            payload = "#cents",
            onConflict = ConflictPolicy.SKIP)
    public String bookOrSkip(String id, long cents) {
        makeEffect(cents);
        return "booked";
    }

    @Transactional
    @IdempotentReceiver(consumer = "bookings-failing", messageId = "#id", type = "'booking'")
    public String bookAndThrow(String id, Exception failure) throws Exception {
        makeEffect(1);
        throw failure;
    }

    /** For whoever has received the message himself. */
    void makeEffect(long cents) {
        interruption.beforeEffect();
        jdbc.update("insert into payment (id, account, cents) values (?, ?, ?)", UUID.randomUUID(), ACCOUNT, cents);
        jdbc.update("update account set cents = cents - ? where name = ?", cents, ACCOUNT);
        interruption.afterEffect();
    }
}
