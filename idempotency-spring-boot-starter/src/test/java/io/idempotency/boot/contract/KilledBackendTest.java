package io.idempotency.boot.contract;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.Outcome;
import io.idempotency.observation.CallRetried;
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

    private final ContractApplication other;

    private final ContractApplication withoutRetries;

    KilledBackendTest(TestDatabase database) {
        String[] quiet = {"logging.level.com.zaxxer.hikari=error", "logging.level.org.springframework.transaction=off"};
        application = ContractApplication.start(database, List.of(), quiet);
        other = ContractApplication.startAnother(database, List.of(), quiet);
        withoutRetries =
                ContractApplication.startAnother(database, List.of(), "idempotency.retry.max-attempts=1", quiet[0]);
    }

    @AfterAll
    void stop() {
        withoutRetries.close();
        other.close();
        application.close();
    }

    @AfterEach
    void clear() {
        withoutRetries.clear();
        other.clear();
        application.clear();
    }

    enum Moment {
        AFTER_THE_CLAIM,
        AFTER_THE_EFFECT;

        private void runIn(Interruption interruption, Runnable action) {
            if (this == AFTER_THE_CLAIM) {
                interruption.beforeEffectDo(action);
            } else {
                interruption.afterEffectDo(action);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aKilledBackendIsInvisibleToTheCaller(Moment moment) {
        AtomicInteger kills = killFirstExecution(application, moment);

        Receipt receipt = application.payments().pay("key", COMMAND);

        assertThat(kills).hasValue(1);
        assertThat(application.payments().pay("key", COMMAND)).isEqualTo(receipt);
        assertThat(application.effects()).isEqualTo(1);
        assertThat(application.spent("a1")).isEqualTo(5);
        assertThat(application.outcomes().retries())
                .singleElement()
                .extracting(CallRetried::sqlState)
                .isIn("57P01", "08006");
        assertThat(application.outcomes().all()).containsExactly(Outcome.EXECUTED, Outcome.REPLAYED);
    }

    @ParameterizedTest
    @EnumSource
    void aKilledBackendLeavesNothingAndTheClientsOwnRepeatSucceeds(Moment moment) {
        AtomicInteger kills = killFirstExecution(withoutRetries, moment);

        assertThatThrownBy(() -> withoutRetries.payments().pay("key", COMMAND)).isInstanceOf(RuntimeException.class);

        assertThat(kills).hasValue(1);
        assertNothingIsLeft(withoutRetries);

        assertThat(withoutRetries.payments().pay("key", COMMAND)).isNotNull();
        assertThat(withoutRetries.spent("a1")).isEqualTo(5);
    }

    @ParameterizedTest
    @EnumSource
    void inAnOuterTransactionAKilledBackendIsTheOuterCallersToRepeat(Moment moment) {
        TransactionTemplate outer = new TransactionTemplate(application.bean(PlatformTransactionManager.class));
        AtomicInteger kills = killFirstExecution(application, moment);

        assertThatThrownBy(() -> outer.execute(status -> application.payments().pay("key", COMMAND)))
                .isInstanceOf(RuntimeException.class);

        assertThat(kills).hasValue(1);
        assertThat(application.outcomes().retries()).isEmpty();
        assertNothingIsLeft(application);

        assertThat(outer.<Receipt>execute(status -> application.payments().pay("key", COMMAND)))
                .isNotNull();
        assertThat(application.spent("a1")).isEqualTo(5);
    }

    @Test
    @Tag("race")
    void duplicatesThatWaitForAKilledCallHaveOneEffectAndEqualAnswers() {
        int rounds = TestSize.pick(5, 100);
        for (int round = 0; round < rounds; round++) {
            String key = "round-" + round;
            AtomicInteger executions = new AtomicInteger();
            List.of(application, other)
                    .forEach(one -> one.interruption().afterEffectDo(() -> {
                        if (executions.incrementAndGet() == 1) {
                            // Of the other application; further duplicates wait for that one before they take a
                            // connection.
                            one.database().backends().awaitBlocked(1);
                            terminateOwnBackend(one);
                        }
                    }));

            List<Receipt> answers = ConcurrentCalls.run(
                            8,
                            i -> (i % 2 == 0 ? application : other).payments().pay(key, COMMAND))
                    .requireAllSucceeded();

            assertThat(answers).hasSize(8).containsOnly(answers.get(0));
        }
        assertThat(application.effects()).isEqualTo(rounds);
        assertThat(application.spent("a1")).isEqualTo(5L * rounds);
        assertThat(Stream.of(application, other)
                        .flatMap(one -> one.outcomes().retries().stream())
                        .map(CallRetried::sqlState))
                .hasSize(rounds)
                .containsOnly("57P01");
    }

    private static void assertNothingIsLeft(ContractApplication application) {
        assertThat(application.effects()).isZero();
        assertThat(application.requests()).isZero();
        assertThat(application.outcomes().all()).containsExactly(Outcome.FAILED);
    }

    private static AtomicInteger killFirstExecution(ContractApplication application, Moment moment) {
        AtomicInteger kills = new AtomicInteger();
        moment.runIn(application.interruption(), () -> {
            if (kills.compareAndSet(0, 1)) {
                terminateOwnBackend(application);
            }
        });
        return kills;
    }

    private static void terminateOwnBackend(ContractApplication application) {
        int pid = application.bean(JdbcTemplate.class).queryForObject("select pg_backend_pid()", Integer.class);
        application.database().backends().terminate(pid);
    }
}
