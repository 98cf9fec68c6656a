package io.idempotency.boot.contract;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.IdempotencyContext;
import io.idempotency.IdempotencyMode;
import io.idempotency.Idempotent;
import io.idempotency.test.RoundTripCounter;

import static org.assertj.core.api.Assertions.assertThat;

/** The round trips of leased calls beside those of their effects: each transaction of the library is one. */
@ContractTest
class LeaseCostTest {

    /** More than it takes until the driver prepares a statement on the server. */
    private static final int CALLS = 8;

    private final ContractApplications applications;

    LeaseCostTest(ContractApplications applications) {
        this.applications = applications;
    }

    @ParameterizedTest
    @EnumSource
    void aNewKey(TransactionKind kind) throws Exception {
        try (RoundTripCounter counter = RoundTripCounter.of(applications.database())) {
            Counted counted = kind.start(
                            applications,
                            List.of(Counted.class),
                            "spring.datasource.url=" + counter.jdbcUrl(),
                            "spring.datasource.hikari.maximum-pool-size=1",
                            "idempotency.outbox.poll-interval=1h")
                    .bean(Counted.class);
            boolean hasCompletionInMessageOfCommit = kind != TransactionKind.JPA;

            assertAdditional(2, counter, counted, Counted::alone, Counted::effectAlone);
            assertAdditional(3, counter, counted, Counted::withStep, Counted::effectAlone);
            assertAdditional(3, counter, counted, Counted::extending, Counted::effectAlone);
            assertAdditional(3, counter, counted, Counted::resumable, Counted::effectAlone);
            // One of them asks for the isolation level of the method's transaction, in which no lease could be
            // extended.
            assertAdditional(
                    hasCompletionInMessageOfCommit ? 2 : 3,
                    counter,
                    counted,
                    Counted::inTransaction,
                    Counted::effectInTransaction);
        }
    }

    private static void assertAdditional(
            long expected,
            RoundTripCounter counter,
            Counted counted,
            BiConsumer<Counted, String> call,
            BiConsumer<Counted, String> effect)
            throws Exception {
        List<Long> additional = new ArrayList<>();
        for (int i = 0; i < CALLS; i++) {
            String key = "key-" + i;
            long plain = counter.count(() -> effect.accept(counted, key));
            additional.add(counter.count(() -> call.accept(counted, key)) - plain);
        }
        assertThat(additional).hasSize(CALLS).containsOnly(expected);
    }

    static class Counted extends PayingBean {

        void effectAlone(String key) {
            makeEffect();
        }

        @Transactional
        void effectInTransaction(String key) {
            makeEffect();
        }

        @Idempotent(scope = "lease-cost", key = "#key", mode = IdempotencyMode.LEASED)
        String alone(String key) {
            makeEffect();
            return "done";
        }

        @Idempotent(scope = "lease-cost-resumable", key = "#key", mode = IdempotencyMode.LEASED, resume = true)
        String resumable(String key) {
            makeEffect();
            return "done";
        }

        @Idempotent(scope = "lease-cost-step", key = "#key", mode = IdempotencyMode.LEASED)
        String withStep(String key) {
            IdempotencyContext.current().step("effect", this::makeEffect);
            return "done";
        }

        @Idempotent(scope = "lease-cost-extending", key = "#key", mode = IdempotencyMode.LEASED)
        String extending(String key) {
            makeEffect();
            IdempotencyContext.current().extendLease(Duration.ofHours(1));
            return "done";
        }

        @Transactional
        @Idempotent(scope = "lease-cost-transaction", key = "#key", mode = IdempotencyMode.LEASED)
        String inTransaction(String key) {
            makeEffect();
            return "done";
        }
    }
}
