package io.idempotency.boot.contract;

import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.IdempotencyMode;
import io.idempotency.Idempotent;
import io.idempotency.Outcome;
import io.idempotency.test.RoundTripCounter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The row of an optimistic call is in the message of the COMMIT exactly where nothing else can be sent between the two. */
@ContractTest
class OptimisticCostTest {

    /** More than it takes until the driver prepares a statement on the server. */
    private static final int CALLS = 8;

    private final ContractApplications applications;

    OptimisticCostTest(ContractApplications applications) {
        this.applications = applications;
    }

    @ParameterizedTest
    @EnumSource
    void aNewKeyTakesNoRoundTripMoreThanItsEffectWithPlainJdbc(TransactionKind kind) throws Exception {
        try (RoundTripCounter counter = RoundTripCounter.of(applications.database())) {
            ContractApplication application = kind.start(applications, List.of(Counted.class), connectedBy(counter));

            assertThat(additionalRoundTrips(counter, application))
                    .hasSize(CALLS)
                    .containsOnly(kind == TransactionKind.JPA ? 1L : 0L);
        }
    }

    /** Nobody knows what that sends before its COMMIT. */
    @Test
    void aManagerOfAnotherClassCommitsByItself() throws Exception {
        try (RoundTripCounter counter = RoundTripCounter.of(applications.database())) {
            ContractApplication application =
                    applications.start(List.of(Counted.class, Own.class), connectedBy(counter));

            assertThat(additionalRoundTrips(counter, application))
                    .hasSize(CALLS)
                    .containsOnly(1L);
        }
    }

    @Test
    void whatAListenerWritesBeforeTheCommitIsCommittedWithTheCallOrNotAtAll() {
        ContractApplication application = applications.start(List.of(Counted.class));
        Listener listener = new Listener(application.bean(JdbcTemplate.class));
        application.bean(ConfigurableTransactionManager.class).addListener(listener);
        Counted counted = application.bean(Counted.class);

        assertThat(counted.pay("key")).isEqualTo("done");
        assertThat(application.effects()).as("of the method and the listener").isEqualTo(2);

        listener.fails = true;
        assertThat(application.outcomes().all()).containsExactly(Outcome.EXECUTED);
        assertThatThrownBy(() -> counted.pay("another")).isInstanceOf(IllegalStateException.class);
        assertThat(application.effects()).isEqualTo(2);
        assertThat(application.requests()).isEqualTo(1);
    }

    private static String[] connectedBy(RoundTripCounter counter) {
        return new String[] {
            "spring.datasource.url=" + counter.jdbcUrl(), "spring.datasource.hikari.maximum-pool-size=1"
        };
    }

    private static List<Long> additionalRoundTrips(RoundTripCounter counter, ContractApplication application)
            throws Exception {
        Counted counted = application.bean(Counted.class);
        List<Long> additional = new ArrayList<>();
        for (int call = 0; call < CALLS; call++) {
            String key = "key-" + call;
            long plain = counter.count(counted::payWithoutKey);
            additional.add(counter.count(() -> counted.pay(key)) - plain);
        }
        return additional;
    }

    static class Counted extends PayingBean {

        @Transactional
        public void payWithoutKey() {
            makeEffect();
        }

        @Transactional
        @Idempotent(scope = "optimistic-cost", key = "#key", mode = IdempotencyMode.OPTIMISTIC)
        public String pay(String key) {
            makeEffect();
            return "done";
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Own {

        @Bean
        @SuppressWarnings("serial") // The superclass is serializable for historical reasons only.
        DataSourceTransactionManager transactionManager(DataSource dataSource) {
            return new DataSourceTransactionManager(dataSource) {};
        }
    }

    /** Comes after the listener of the library, and writes or fails before each COMMIT of a call. */
    private static final class Listener implements TransactionExecutionListener {

        private final JdbcTemplate jdbc;

        private boolean fails;

        Listener(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @Override
        public void beforeCommit(TransactionExecution transaction) {
            if (fails) {
                throw new IllegalStateException("on purpose");
            }
            jdbc.update("insert into payment (id, account, cents) values (gen_random_uuid(), 'a1', 5)");
        }
    }
}
