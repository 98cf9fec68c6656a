package io.idempotency.boot.contract;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.dao.ConcurrencyFailureException;

import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.test.CallResults;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.TestDatabase;
import io.idempotency.test.TestSize;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract of a call, whatever the isolation level: a subclass names the level that the pool opens transactions
 * with.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class IdempotentContractTests {

    private static final int RACERS = 32;

    private final TestDatabase database;

    private final String isolation;

    private ConfigurableApplicationContext application;

    private Payments payments;

    private Interruption interruption;

    IdempotentContractTests(TestDatabase database, String isolation) {
        this.database = database;
        this.isolation = isolation;
    }

    @BeforeAll
    void start() {
        Payments.createTables(database.jdbc());
        application = JdbcTestApplication.start(
                database,
                new Class<?>[] {Payments.class, Interruption.class},
                "spring.datasource.hikari.transaction-isolation=" + isolation,
                "spring.datasource.hikari.maximum-pool-size=40");
        payments = application.getBean(Payments.class);
        interruption = application.getBean(Interruption.class);
    }

    @AfterAll
    void stop() {
        application.close();
    }

    @AfterEach
    void clear() {
        interruption.reset();
        database.jdbc().execute("truncate payment; update account set cents = 1000000000");
        database.jdbc().execute("truncate idempotency.idempotency_request");
    }

    @Test
    @Tag("race")
    void concurrentDuplicatesHaveOneEffectAndEqualResults() {
        int rounds = TestSize.pick(10, 200);
        for (int round = 0; round < rounds; round++) {
            String key = "round-" + round;
            PayCommand command = new PayCommand("a1", 5);

            CallResults<Receipt> results = ConcurrentCalls.run(RACERS, () -> pay(key, command));

            assertThat(results.requireAllSucceeded())
                    .hasSize(RACERS)
                    .containsOnly(results.get(0).value());
        }
        assertThat(count("payment")).isEqualTo(rounds);
        assertThat(balance("a1")).isEqualTo(1_000_000_000L - 5L * rounds);
    }

    /** As a client does that knows what a serialization failure is. */
    private Receipt pay(String key, PayCommand command) {
        while (true) {
            try {
                return payments.pay(key, command);
            } catch (ConcurrencyFailureException serializationFailure) {
                LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(1_000_000, 10_000_000));
            }
        }
    }

    private long count(String table) {
        return database.jdbc().queryForObject("select count(*) from " + table, Long.class);
    }

    private long balance(String account) {
        return database.jdbc().queryForObject("select cents from account where name = ?", Long.class, account);
    }
}
