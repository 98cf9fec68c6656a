package io.idempotency.benchmarks;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;
import tools.jackson.databind.json.JsonMapper;

/** What is written by hand has its table in common. */
abstract class HandWritten extends CallContender implements Growing {

    private final Payments payments;

    HandWritten(String name, ContenderSetup setup, Class<? extends Payments> payments) {
        super(name, setup, List.of(Store.class, payments));
        this.payments = application.getBean(payments);
    }

    @Override
    final void prepare(JdbcTemplate jdbc) {
        HandWrittenStore.createTable(jdbc);
    }

    @Override
    final List<String> tables() {
        return List.of(HandWrittenStore.TABLE);
    }

    @Override
    final @Nullable Receipt pay(String key, Payment payment) {
        return payments.pay(key, payment);
    }

    @Override
    public final void grow(long from, long to) {
        HandWrittenStore.grow(admin, from, to);
    }

    /** The service of the application. */
    interface Payments {

        Receipt pay(String key, Payment payment);
    }

    static class Store {

        @Bean
        HandWrittenStore store(JdbcTemplate jdbc, JsonMapper mapper) {
            return new HandWrittenStore(jdbc, mapper);
        }
    }
}
