package io.idempotency.benchmarks;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/** The effect alone, in a transaction, or with round trips that ask for nothing: what those cost before any key is kept. */
final class PlainContender extends CallContender {

    static final String NAME = "plain";

    static final String ONE_ROUND_TRIP_MORE = "plain-one-round-trip-more";

    static final String TWO_ROUND_TRIPS_MORE = "plain-two-round-trips-more";

    private final Payments payments;

    private PlainContender(String name, ContenderSetup setup, Class<? extends Payments> payments) {
        super(name, setup, List.of(payments));
        this.payments = application.getBean(payments);
    }

    static PlainContender effectAlone(ContenderSetup setup) {
        return new PlainContender(NAME, setup, Payments.class);
    }

    /** One before the effect, as a claim without a response takes. */
    static PlainContender oneRoundTripMore(ContenderSetup setup) {
        return new PlainContender(ONE_ROUND_TRIP_MORE, setup, OneMore.class);
    }

    /** One before the effect and one behind it, as a claim and its completion take. */
    static PlainContender twoRoundTripsMore(ContenderSetup setup) {
        return new PlainContender(TWO_ROUND_TRIPS_MORE, setup, TwoMore.class);
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

    static class Payments {

        private final CallEffect effect;

        Payments(CallEffect effect) {
            this.effect = effect;
        }

        @Transactional
        public Receipt pay(Payment payment) {
            return effect.pay(payment);
        }
    }

    static class OneMore extends Payments {

        private final JdbcTemplate jdbc;

        OneMore(CallEffect effect, JdbcTemplate jdbc) {
            super(effect);
            this.jdbc = jdbc;
        }

        @Override
        @Transactional
        public Receipt pay(Payment payment) {
            askForNothing();
            return super.pay(payment);
        }

        final void askForNothing() {
            jdbc.queryForObject("select 1", Integer.class);
        }
    }

    static class TwoMore extends OneMore {

        TwoMore(CallEffect effect, JdbcTemplate jdbc) {
            super(effect, jdbc);
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
