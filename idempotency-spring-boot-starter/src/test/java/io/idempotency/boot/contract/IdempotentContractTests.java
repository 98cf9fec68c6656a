package io.idempotency.boot.contract;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.dao.ConcurrencyFailureException;

import io.idempotency.KeyReusedException;
import io.idempotency.test.CallResults;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.TestDatabase;
import io.idempotency.test.TestSize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * The contract of a call, whatever the isolation level: a subclass names the level that the pool opens transactions
 * with.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class IdempotentContractTests {

    private static final int RACERS = 32;

    private static final int CLIENTS = 16;

    private final TestDatabase database;

    private final String isolation;

    private ContractApplication application;

    private Payments payments;

    IdempotentContractTests(TestDatabase database, String isolation) {
        this.database = database;
        this.isolation = isolation;
    }

    @BeforeAll
    void start() {
        application = ContractApplication.start(
                database, List.of(), "spring.datasource.hikari.transaction-isolation=TRANSACTION_" + isolation);
        payments = application.payments();
    }

    @AfterAll
    void stop() {
        application.close();
    }

    @AfterEach
    void clear() {
        application.clear();
    }

    @Test
    void transactionsHaveTheIsolationLevelOfThisContract() {
        List<String> levels = new ArrayList<>();
        application
                .interruption()
                .beforeEffectDo(() -> levels.add(application
                        .bean(org.springframework.jdbc.core.JdbcTemplate.class)
                        .queryForObject("show transaction_isolation", String.class)));

        payments.pay("key", new PayCommand("a1", 5));

        assertThat(levels)
                .containsExactly(isolation.toLowerCase(java.util.Locale.ROOT).replace('_', ' '));
    }

    @Test
    @Tag("race")
    void concurrentDuplicatesHaveOneEffectAndEqualResults() {
        int rounds = TestSize.pick(10, 100);
        for (int round = 0; round < rounds; round++) {
            String key = "round-" + round;
            PayCommand command = new PayCommand("a1", 5);

            CallResults<Receipt> results = ConcurrentCalls.run(RACERS, () -> payAsClient(key, command));

            assertThat(results.requireAllSucceeded())
                    .hasSize(RACERS)
                    .containsOnly(results.get(0).value());
        }
        assertThat(application.effects("a1")).isEqualTo(rounds);
        assertThat(application.spent("a1")).isEqualTo(5L * rounds);
    }

    @Test
    @Tag("race")
    void everyDistinctKeyHasOneEffectAmongManyRepeats() {
        int distinct = TestSize.pick(1_000, 10_000);
        List<Integer> calls = new ArrayList<>();
        for (int key = 0; key < distinct; key++) {
            calls.add(key);
        }
        Random random = new Random(42);
        for (int repeat = 0; repeat < distinct * 3 / 10; repeat++) {
            calls.add(random.nextInt(distinct));
        }
        Collections.shuffle(calls, random);
        Map<Integer, Receipt> answers = new ConcurrentHashMap<>();
        List<Integer> differing = Collections.synchronizedList(new ArrayList<>());
        AtomicInteger next = new AtomicInteger();

        ConcurrentCalls.run(CLIENTS, () -> {
                    for (int i = next.getAndIncrement(); i < calls.size(); i = next.getAndIncrement()) {
                        int key = calls.get(i);
                        Receipt answer = payAsClient("key-" + key, commandOf(key));
                        Receipt earlier = answers.putIfAbsent(key, answer);
                        if (earlier != null && !earlier.equals(answer)) {
                            differing.add(key);
                        }
                    }
                })
                .requireAllSucceeded();

        assertThat(differing).isEmpty();
        assertThat(application.effects()).isEqualTo(distinct);
        assertThat(application.requests()).isEqualTo(distinct);
        long spent = 0;
        for (int account = 0; account < 100; account++) {
            spent += application.spent("a" + (account + 1));
        }
        long expected = 0;
        for (int key = 0; key < distinct; key++) {
            expected += commandOf(key).cents();
        }
        assertThat(spent).isEqualTo(expected);
    }

    @Test
    void theSameKeyWithAnotherPayloadIsNeitherReplayedNorExecuted() {
        payments.pay("key", new PayCommand("a1", 5));

        assertThatThrownBy(() -> payments.pay("key", new PayCommand("a1", 6)))
                .isInstanceOf(KeyReusedException.class)
                .hasMessageContaining("key 'key' in scope 'payments'");

        assertThat(application.effects()).isEqualTo(1);
        assertThat(application.spent("a1")).isEqualTo(5);
    }

    @Test
    @Tag("race")
    void aDuplicateThatWaitedRunsWhenTheFirstCallFailed() {
        AtomicInteger executions = new AtomicInteger();
        application.interruption().afterEffectDo(() -> {
            if (executions.incrementAndGet() == 1) {
                database.backends().awaitBlocked(1);
                throw new IllegalStateException("the first attempt fails");
            }
        });

        CallResults<Receipt> results = ConcurrentCalls.run(2, () -> payAsClient("key", new PayCommand("a1", 5)));

        assertThat(results.failures())
                .hasSize(1)
                .first()
                .hasToString("java.lang.IllegalStateException: the first attempt fails");
        assertThat(results.values()).hasSize(1);
        assertThat(application.spent("a1")).isEqualTo(5);
    }

    private static PayCommand commandOf(int key) {
        return new PayCommand("a" + (key % 100 + 1), key % 7 + 1);
    }

    /** As a client does that knows what a serialization failure is. */
    private Receipt payAsClient(String key, PayCommand command) {
        while (true) {
            try {
                return payments.pay(key, command);
            } catch (ConcurrencyFailureException serializationFailure) {
                LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(1_000_000, 10_000_000));
            }
        }
    }
}
