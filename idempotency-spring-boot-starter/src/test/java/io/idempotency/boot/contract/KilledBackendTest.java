package io.idempotency.boot.contract;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.Outcome;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;
import io.idempotency.test.TestSize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The server process of a call is terminated while the call is at work. */
@PostgresTest
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class KilledBackendTest {

    private static final PayCommand COMMAND = new PayCommand("a1", 5);

    private final ContractApplication application;

    KilledBackendTest(TestDatabase database) {
        application = ContractApplication.start(
                database,
                List.of(),
                "logging.level.com.zaxxer.hikari=error",
                "logging.level.org.springframework.transaction.interceptor=off");
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
    void aBackendKilledAfterTheClaimLeavesNothingAndARetrySucceeds() {
        assertNothingIsLeftAndARetrySucceeds(Interruption::beforeEffectDo);
    }

    @Test
    void aBackendKilledAfterTheEffectLeavesNothingAndARetrySucceeds() {
        assertNothingIsLeftAndARetrySucceeds(Interruption::afterEffectDo);
    }

    private void assertNothingIsLeftAndARetrySucceeds(BiConsumer<Interruption, Runnable> at) {
        AtomicInteger kills = new AtomicInteger();
        at.accept(application.interruption(), () -> {
            if (kills.get() == 0) {
                terminateOwnBackend();
                kills.incrementAndGet();
            }
        });

        assertThatThrownBy(() -> application.payments().pay("key", COMMAND)).isInstanceOf(RuntimeException.class);

        assertThat(kills).hasValue(1);
        assertThat(application.effects()).isZero();
        assertThat(application.requests()).isZero();
        assertThat(application.outcomes().all()).containsExactly(Outcome.FAILED);

        Receipt receipt = application.payments().pay("key", COMMAND);
        assertThat(application.payments().pay("key", COMMAND)).isEqualTo(receipt);
        assertThat(application.spent("a1")).isEqualTo(5);
    }

    @Test
    @Tag("race")
    void duplicatesThatWaitForAKilledCallHaveOneEffect() {
        int rounds = TestSize.pick(5, 100);
        for (int round = 0; round < rounds; round++) {
            String key = "round-" + round;
            AtomicInteger executions = new AtomicInteger();
            application.interruption().afterEffectDo(() -> {
                if (executions.incrementAndGet() == 1) {
                    application.database().backends().awaitBlocked(3);
                    terminateOwnBackend();
                }
            });

            List<Receipt> answers = ConcurrentCalls.run(
                            4, () -> application.payments().pay(key, COMMAND))
                    .values();

            assertThat(answers).hasSize(3).containsOnly(answers.get(0));
        }
        assertThat(application.spent("a1")).isEqualTo(5L * rounds);
    }

    private void terminateOwnBackend() {
        int pid = application.bean(JdbcTemplate.class).queryForObject("select pg_backend_pid()", Integer.class);
        application.database().backends().terminate(pid);
    }
}
