package io.idempotency.boot.contract;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.TestSize;

import static org.assertj.core.api.Assertions.assertThat;

/** Some clients make and repeat many calls. */
@Tag("citus")
@Tag("race")
@ContractTest
class ManyKeysTest {

    private static final int CLIENTS = 16;

    private final ContractApplications applications;

    ManyKeysTest(ContractApplications applications) {
        this.applications = applications;
    }

    @Test
    void eachHasOneEffectAndEqualAnswers() {
        assertThatEachHasOneEffectAndEqualAnswers("READ COMMITTED", TransactionKind.JDBC, false);
    }

    @ParameterizedTest
    @Tag("full")
    @CsvSource({
        "REPEATABLE READ, JDBC, false",
        "SERIALIZABLE, JDBC, false",
        "READ COMMITTED, JDBC, true",
        "REPEATABLE READ, JDBC, true",
        "SERIALIZABLE, JDBC, true",
        "READ COMMITTED, JPA, true",
        "REPEATABLE READ, JPA, true",
        "SERIALIZABLE, JPA, true",
    })
    void eachHasOneEffectAndEqualAnswers(String isolation, TransactionKind kind, boolean isOptimistic) {
        assertThatEachHasOneEffectAndEqualAnswers(isolation, kind, isOptimistic);
    }

    private void assertThatEachHasOneEffectAndEqualAnswers(
            String isolation, TransactionKind kind, boolean isOptimistic) {
        // So many clients on so few accounts conflict in one of twenty executions, so in many thousand calls a few fail
        // four times in a row.
        ContractApplication application = kind.start(
                applications,
                isOptimistic ? List.of(OptimisticMode.class) : List.of(),
                "spring.datasource.hikari.transaction-isolation=TRANSACTION_" + isolation.replace(' ', '_'),
                "idempotency.retry.max-attempts=10");
        List<String> levels = new ArrayList<>();
        application
                .interruption()
                .beforeEffectDo(() -> levels.add(application
                        .bean(JdbcTemplate.class)
                        .queryForObject("select upper(current_setting('transaction_isolation'))", String.class)));
        pay(application, 0);
        assertThat(levels).containsExactly(isolation);
        application.interruption().reset();

        int distinct = TestSize.pick(1_000, 10_000);
        repeatAtRandom(application, distinct);

        assertThat(application.effects()).isEqualTo(distinct);
        assertThat(application.requests()).isEqualTo(distinct);
        assertThat(application.spent())
                .isEqualTo(IntStream.range(0, distinct)
                        .mapToLong(key -> commandOf(key).cents())
                        .sum());
        List<String> retries = application.outcomes().retries().stream()
                .map(Outcomes.Repeat::sqlState)
                .toList();
        if (isOptimistic) {
            assertThat(retries).isSubsetOf("40001", "40P01");
        } else if (isolation.equals("READ COMMITTED")) {
            assertThat(retries).isEmpty();
        } else {
            assertThat(retries).isNotEmpty().containsOnly("40001");
        }
        application.stop();
    }

    private static void repeatAtRandom(ContractApplication application, int distinct) {
        Random random = new Random(42);
        List<Integer> calls = new ArrayList<>(IntStream.range(0, distinct * 13 / 10)
                .map(i -> i < distinct ? i : random.nextInt(distinct))
                .boxed()
                .toList());
        Collections.shuffle(calls, random);
        Map<Integer, Receipt> answers = new ConcurrentHashMap<>();
        AtomicInteger next = new AtomicInteger();

        ConcurrentCalls.run(CLIENTS, () -> {
                    for (int i = next.getAndIncrement(); i < calls.size(); i = next.getAndIncrement()) {
                        int key = calls.get(i);
                        Receipt answer = pay(application, key);
                        Receipt earlier = answers.putIfAbsent(key, answer);
                        assertThat(answer).isEqualTo(earlier == null ? answer : earlier);
                    }
                })
                .requireAllSucceeded();
    }

    private static Receipt pay(ContractApplication application, int key) {
        return application.payments().pay("key-" + key, commandOf(key));
    }

    private static PayCommand commandOf(int key) {
        return new PayCommand("a" + (key % 100 + 1), key % 7 + 1);
    }
}
