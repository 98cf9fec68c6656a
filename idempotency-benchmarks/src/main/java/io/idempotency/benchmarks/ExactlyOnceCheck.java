package io.idempotency.benchmarks;

import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/** Figures of what does not do its work are worthless: done before anything is measured. */
final class ExactlyOnceCheck {

    private ExactlyOnceCheck() {}

    /**
     * Makes some calls.
     *
     * @throws IllegalStateException if a contender does not do what it says
     */
    static void of(CallContender contender) {
        String name = contender.name();
        int number = contender.nextNumber();
        String key = Keys.called(number);
        Payment payment = Payment.of(number);
        long before = effects(contender);
        Receipt first = contender.pay(key, payment);
        require(effects(contender) == before + 1, name + " does not make the effect of a new key once");
        if (!contender.remembers()) {
            return;
        }
        Receipt second = contender.pay(key, payment);
        require(effects(contender) == before + 1, name + " makes the effect of a repeated key again");
        require(
                !contender.replays() || (first != null && Objects.equals(first, second)),
                name + " does not replay the response of a repeated key");
        if (contender.comparesPayloads()) {
            require(isRefused(contender, key, number), name + " accepts a key with another payload");
            require(effects(contender) == before + 1, name + " makes the effect of another payload");
        }
    }

    private static boolean isRefused(CallContender contender, String key, int number) {
        try {
            contender.pay(key, Payment.of(number + 1));
            return false;
        } catch (RuntimeException refused) {
            return true;
        }
    }

    static void of(BatchContender contender) {
        String name = contender.name();
        List<Message> batch = contender.nextBatch(Keys::called);
        long before = effects(contender);
        contender.handle(batch);
        require(effects(contender) == before + batch.size(), name + " does not make the effects of a batch once");
        if (contender.remembers()) {
            contender.handle(batch);
            require(effects(contender) == before + batch.size(), name + " makes the effects of a batch again");
        }
    }

    /** Rows and changes of accounts must agree. */
    private static long effects(Contender contender) {
        long payments = number(contender.admin.queryForObject("select count(*) from payment", Long.class));
        long cents = number(contender.admin.queryForObject("select sum(cents)::bigint from account", Long.class));
        require(
                payments == cents,
                contender.name() + " has inserted " + payments + " payments, but changed accounts " + cents + " times");
        return cents;
    }

    private static long number(@Nullable Long number) {
        return number == null ? 0 : number;
    }

    private static void require(boolean held, String otherwise) {
        if (!held) {
            throw new IllegalStateException(otherwise);
        }
    }
}
