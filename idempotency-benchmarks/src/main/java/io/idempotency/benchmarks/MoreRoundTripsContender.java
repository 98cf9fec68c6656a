package io.idempotency.benchmarks;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/** The effect alone, and round trips that ask for nothing: nothing that takes as many can be faster. */
final class MoreRoundTripsContender extends CallContender {

    static final String ONE = "plain-one-round-trip-more";

    static final String TWO = "plain-two-round-trips-more";

    private final OneMore payments;

    private MoreRoundTripsContender(String name, ContenderSetup setup, Class<? extends OneMore> payments) {
        super(name, setup, List.of(payments));
        this.payments = application.getBean(payments);
    }

    /** One before the effect, as a claim without a response takes. */
    static MoreRoundTripsContender one(ContenderSetup setup) {
        return new MoreRoundTripsContender(ONE, setup, OneMore.class);
    }

    /** One before the effect and one behind it, as a claim and its completion take. */
    static MoreRoundTripsContender two(ContenderSetup setup) {
        return new MoreRoundTripsContender(TWO, setup, TwoMore.class);
    }

    @Override
    @Nullable Receipt pay(String key, Payment payment) {
        return payments.pay(payment);
    }

    @Override
    boolean remembers() {
        return false;
    }

    @Override
    String note() {
        return "repeats the effect";
    }

    static class OneMore {

        private final JdbcTemplate jdbc;

        private final CallEffect effect;

        OneMore(JdbcTemplate jdbc, CallEffect effect) {
            this.jdbc = jdbc;
            this.effect = effect;
        }

        @Transactional
        public Receipt pay(Payment payment) {
            askForNothing();
            return effect.pay(payment);
        }

        final void askForNothing() {
            jdbc.queryForObject("select 1", Integer.class);
        }
    }

    static class TwoMore extends OneMore {

        TwoMore(JdbcTemplate jdbc, CallEffect effect) {
            super(jdbc, effect);
        }

        @Override
        @Transactional
        public Receipt pay(Payment payment) {
            Receipt receipt = super.pay(payment);
            askForNothing();
            return receipt;
        }
    }
}
