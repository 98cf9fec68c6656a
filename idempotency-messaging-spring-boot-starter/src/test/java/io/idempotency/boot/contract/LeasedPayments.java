package io.idempotency.boot.contract;

import java.util.UUID;

import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.DuplicatePolicy;
import io.idempotency.IdempotencyContext;
import io.idempotency.IdempotencyMode;
import io.idempotency.Idempotent;

/** Payments that are made outside before they are booked: {@link Interruption#beforeEffect} is where outside is called. */
class LeasedPayments extends PayingBean {

    /** Different for every execution, so that equal answers mean one execution. */
    record Booked(UUID payment, int attempt) {}

    /** What was refused outside, for good. */
    static class Declined extends RuntimeException {

        private static final long serialVersionUID = 1L;

        Declined(String message) {
            super(message);
        }
    }

    /** The two ways to complete a lease: in the method's transaction, or in a short one after the method. */
    enum Completion {
        IN_THE_TRANSACTION,
        AFTER_THE_METHOD;

        Booked pay(LeasedPayments payments, String key) {
            return switch (this) {
                case IN_THE_TRANSACTION -> payments.pay(key);
                case AFTER_THE_METHOD -> payments.payWithoutTransaction(key);
            };
        }
    }

    @Transactional
    @Idempotent(
            scope = "leased",
            key = "#key",
            mode = IdempotencyMode.LEASED,
            lease = "${leased.lease:60s}",
            waitTimeout = "20s",
            finalFailures = Declined.class)
    Booked pay(String key) {
        return callOutsideAndBook();
    }

    @Idempotent(
            scope = "leased-without-transaction",
            key = "#key",
            mode = IdempotencyMode.LEASED,
            lease = "60s",
            waitTimeout = "20s",
            finalFailures = Declined.class)
    Booked payWithoutTransaction(String key) {
        return callOutsideAndBook();
    }

    @Transactional
    @Idempotent(
            scope = "leased-impatient",
            key = "#key",
            mode = IdempotencyMode.LEASED,
            lease = "60s",
            waitTimeout = "300ms")
    Booked payImpatiently(String key) {
        return callOutsideAndBook();
    }

    /** Its transaction has a snapshot, so that its lease is not renewed. */
    @Transactional(isolation = Isolation.REPEATABLE_READ)
    @Idempotent(
            scope = "leased-briefly",
            key = "#key",
            mode = IdempotencyMode.LEASED,
            lease = "200ms",
            waitTimeout = "400ms")
    Booked payBriefly(String key) {
        return callOutsideAndBook();
    }

    @Transactional
    @Idempotent(
            scope = "leased-fail-fast",
            key = "#key",
            mode = IdempotencyMode.LEASED,
            lease = "60s",
            waitTimeout = "60s",
            onDuplicate = DuplicatePolicy.FAIL)
    Booked payOrFailFast(String key) {
        return callOutsideAndBook();
    }

    @Transactional
    @Idempotent(scope = "leased-repeatable", key = "#key", mode = IdempotencyMode.LEASED, retryLeased = true)
    Booked payRepeatably(String key) {
        return callOutsideAndBook();
    }

    private Booked callOutsideAndBook() {
        countExecution();
        interruption.beforeEffect();
        UUID payment = jdbc.queryForObject(
                "insert into payment (id, account, cents) values (gen_random_uuid(), 'a1', 5) returning id",
                UUID.class);
        interruption.afterEffect();
        return new Booked(payment, IdempotencyContext.current().attempt());
    }
}
