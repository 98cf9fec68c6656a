package io.idempotency.boot.contract;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.idempotency.Outcome;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.TestDatabase;
import io.idempotency.test.TestSize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/** The server dies under load. */
@ContractTest
@Tag("race")
@Tag("full")
class ServerLossTest {

    private static final int CLIENTS = 16;

    private final TestDatabase database;

    private final ContractApplication application;

    private final ContractApplication impatient;

    private final Map<Integer, Receipt> answers = new ConcurrentHashMap<>();

    ServerLossTest(ContractApplications applications) {
        database = applications.database();
        application = applications.withQuietFailures().start(List.of());
        impatient = applications.start(
                List.of(), "spring.datasource.hikari.connection-timeout=250", "idempotency.retry.max-attempts=1");
    }

    @AfterEach
    void clear() {
        answers.clear();
    }

    @Test
    void callersDoNotSeeThatTheServerIsRestarted() {
        int keys = crashUnderLoad(key -> pay(application, key));

        assertThat(application.outcomes().retries()).isNotEmpty();
        assertThat(application.outcomes().all()).hasSize(keys).isSubsetOf(Outcome.EXECUTED, Outcome.REPLAYED);
        assertOneEffectForEachKeyAndEqualReplays(application, keys);
    }

    @Test
    void callersWhoLearnOfAFailureRepeatWithSuccessOnceTheServerIsBack() {
        AtomicInteger failures = new AtomicInteger();
        int keys = crashUnderLoad(key -> waiting()
                .ignoreExceptions()
                .until(
                        () -> {
                            try {
                                return pay(impatient, key);
                            } catch (RuntimeException failure) {
                                failures.incrementAndGet();
                                throw failure;
                            }
                        },
                        receipt -> true));

        assertThat(failures).hasPositiveValue();
        assertThat(impatient.outcomes().retries()).isEmpty();
        assertOneEffectForEachKeyAndEqualReplays(impatient, keys);
    }

    private int crashUnderLoad(IntFunction<Receipt> client) {
        assumeThat(database.server().canRestart()).isTrue();
        int crashes = TestSize.pick(1, 5);
        int keysBetweenCrashes = 500;
        AtomicInteger keys = new AtomicInteger();
        AtomicBoolean over = new AtomicBoolean();
        ConcurrentCalls<Void> clients = ConcurrentCalls.start(CLIENTS, () -> {
            while (!over.get()) {
                int key = keys.getAndIncrement();
                answers.put(key, client.apply(key));
            }
        });
        try {
            for (int crash = 1; crash <= crashes; crash++) {
                awaitAnswers(answers.size() + keysBetweenCrashes);
                database.crashServer();
            }
            awaitAnswers(answers.size() + keysBetweenCrashes);
        } finally {
            over.set(true);
        }
        clients.await().requireAllSucceeded();
        return keys.get();
    }

    private void awaitAnswers(int count) {
        waiting().until(() -> answers.size() >= count);
    }

    private static ConditionFactory waiting() {
        return Awaitility.await()
                .pollInSameThread()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(5))
                .timeout(Duration.ofSeconds(60));
    }

    private static Receipt pay(ContractApplication application, int key) {
        return application.payments().pay("key-" + key, new PayCommand("a" + (key % 100 + 1), 1));
    }

    private void assertOneEffectForEachKeyAndEqualReplays(ContractApplication application, int keys) {
        assertThat(answers).hasSize(keys);
        assertThat(application.effects()).isEqualTo(keys);
        assertThat(application.requests()).isEqualTo(keys);
        assertThat(application.spent()).isEqualTo(keys);
        assertThat(answers)
                .allSatisfy((key, answer) -> assertThat(pay(application, key)).isEqualTo(answer));
        assertThat(application.effects()).isEqualTo(keys);
    }
}
