package io.idempotency.boot.contract;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.PlatformTransactionManager;

import io.idempotency.KeyReusedException;
import io.idempotency.test.Backends;
import io.idempotency.test.CallResults;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.TestSize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * The contract of a call, whatever the isolation level: a subclass names the level that the pool opens transactions
 * with.
 */
@ContractTest
abstract class IdempotentContractTests {

    private static final int RACERS = 32;

    private static final int CLIENTS = 16;

    private final ContractApplications applications;

    private final String isolation;

    private final ContractApplication application;

    private final ContractApplication other;

    private final Payments payments;

    IdempotentContractTests(ContractApplications applications, String isolation) {
        this.applications = applications;
        this.isolation = isolation;
        application = applications.start(List.of(), level());
        other = applications.start(List.of(), level());
        payments = application.payments();
    }

    PlatformTransactionManager transactionManager() {
        return application.bean(PlatformTransactionManager.class);
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
    void concurrentDuplicatesInOneApplicationHaveOneEffectAndEqualResults() {
        assertDuplicatesHaveOneEffectAndEqualResults(racer -> application);

        if (isClaimedFirst()) {
            assertThat(retries()).isEmpty();
        }
    }

    @Test
    @Tag("race")
    void concurrentDuplicatesInTwoApplicationsHaveOneEffectAndEqualResults() {
        assertDuplicatesHaveOneEffectAndEqualResults(racer -> racer % 2 == 0 ? application : other);

        assertRetriesAreThoseOfTheIsolationLevel(retries());
    }

    private void assertDuplicatesHaveOneEffectAndEqualResults(IntFunction<ContractApplication> applicationOf) {
        int rounds = TestSize.pick(10, 100);
        for (int round = 0; round < rounds; round++) {
            String key = "round-" + round;
            PayCommand command = new PayCommand("a1", 5);

            CallResults<Receipt> results = ConcurrentCalls.run(
                    RACERS, racer -> applicationOf.apply(racer).payments().pay(key, command));

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
        // So many clients on so few accounts conflict in one of twenty executions, so in many thousand calls a few fail
        // four times in a row.
        ContractApplication busy = applications.start(List.of(), level(), "idempotency.retry.max-attempts=10");
        assertEveryDistinctKeyHasOneEffectAmongManyRepeats(busy);
        assertRetriesAreThoseOfTheIsolationLevel(busy.outcomes().retries());
    }

    private void assertEveryDistinctKeyHasOneEffectAmongManyRepeats(ContractApplication busy) {
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
                        Receipt answer = busy.payments().pay("key-" + key, commandOf(key));
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
        long expected = 0;
        for (int key = 0; key < distinct; key++) {
            expected += commandOf(key).cents();
        }
        assertThat(application.spent()).isEqualTo(expected);
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
    void aDuplicateThatWaitedInTheDatabaseRunsWhenTheFirstCallFailed() {
        assertADuplicateRunsWhenTheFirstCallFailed(
                other, () -> applications.database().backends().awaitBlocked(1));
    }

    @Test
    @Tag("race")
    void aDuplicateThatWaitedInThisJvmRunsWhenTheFirstCallFailed() {
        assertADuplicateRunsWhenTheFirstCallFailed(application, () -> {
            Thread first = Thread.currentThread();
            // Whoever waits for the database is RUNNABLE for Java.
            await().until(() -> Thread.getAllStackTraces().keySet().stream()
                    .filter(thread -> thread != first && thread.getName().startsWith("concurrent-call-"))
                    .anyMatch(thread -> thread.getState() == Thread.State.TIMED_WAITING));
            assertThat(applications.database().backends().activity()).noneMatch(Backends.Backend::blocked);
        });
    }

    private void assertADuplicateRunsWhenTheFirstCallFailed(
            ContractApplication duplicatesApplication, Runnable awaitDuplicate) {
        AtomicInteger executions = new AtomicInteger();
        List.of(application, duplicatesApplication)
                .forEach(one -> one.interruption().afterEffectDo(() -> {
                    if (executions.incrementAndGet() == 1) {
                        awaitDuplicate.run();
                        throw new IllegalStateException("the first attempt fails");
                    }
                }));
        PayCommand command = new PayCommand("a1", 5);

        CallResults<Receipt> results = ConcurrentCalls.run(List.of(
                () -> payments.pay("key", command),
                () -> duplicatesApplication.payments().pay("key", command)));

        if (isClaimedFirst()) {
            assertThat(results.failures()).hasSize(1);
        }
        // An optimistic call that fails asks for its key, which the duplicate may have answered by then.
        assertThat(results.failures())
                .allSatisfy(failure ->
                        assertThat(failure).hasToString("java.lang.IllegalStateException: the first attempt fails"));
        assertThat(results.values()).isNotEmpty().containsOnly(results.values().get(0));
        assertThat(executions).hasValue(2);
        assertThat(application.effects()).isEqualTo(1);
        assertThat(application.spent("a1")).isEqualTo(5);
    }

    private boolean isClaimedFirst() {
        return application.context().getBeansOfType(OptimisticMode.class).isEmpty();
    }

    private void assertRetriesAreThoseOfTheIsolationLevel(List<Outcomes.Repeat> retries) {
        if (!isClaimedFirst()) {
            assertThat(retries).extracting(Outcomes.Repeat::sqlState).isSubsetOf("40001", "40P01");
        } else if (isolation.equals("READ_COMMITTED")) {
            assertThat(retries).isEmpty();
        } else {
            assertThat(retries)
                    .extracting(Outcomes.Repeat::sqlState)
                    .isNotEmpty()
                    .containsOnly("40001");
        }
    }

    private String level() {
        return "spring.datasource.hikari.transaction-isolation=TRANSACTION_" + isolation;
    }

    private static PayCommand commandOf(int key) {
        return new PayCommand("a" + (key % 100 + 1), key % 7 + 1);
    }

    private List<Outcomes.Repeat> retries() {
        return Stream.of(application, other)
                .flatMap(one -> one.outcomes().retries().stream())
                .toList();
    }
}
