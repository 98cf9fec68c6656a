package io.idempotency.boot.contract;

import java.util.List;
import java.util.concurrent.CountDownLatch;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.Idempotent;
import io.idempotency.Outcome;
import io.idempotency.test.ConcurrentCalls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;

/** Which failures a call repeats by itself, and which it does not. */
@ContractTest
class RetryTest {

    private final ContractApplication application;

    private final Failing failing;

    RetryTest(ContractApplications applications) {
        application = applications.start(List.of(Failing.class), "idempotency.retry.delay=5ms");
        failing = application.bean(Failing.class);
        applications.database().jdbc().execute("""
                        create function fail_with(state text) returns void language plpgsql as
                        $$ begin raise exception 'on purpose' using errcode = state; end $$""");
    }

    @AfterEach
    void clear() {
        failing.reset();
    }

    @ParameterizedTest
    @ValueSource(strings = {"40001", "40P01", "08006", "57P01"})
    void aFailureThatARepeatMayMendIsRepeated(String sqlState) {
        assertThat(failing.payAfterFailures("key", sqlState, 2)).isEqualTo("paid in execution 3");

        assertThat(application.effects()).isEqualTo(1);
        assertThat(application.outcomes().all()).containsExactly(Outcome.EXECUTED);
        assertThat(application.outcomes().retries())
                .extracting(Outcomes.Repeat::execution, Outcomes.Repeat::sqlState)
                .containsExactly(tuple(1, sqlState), tuple(2, sqlState));
    }

    @ParameterizedTest
    @ValueSource(strings = {"23505", "23514", "22012", "25P02", "42P01", "53100", "55P03", "P0001"})
    void anyOtherFailureIsNotRepeated(String sqlState) {
        assertThatThrownBy(() -> failing.payAfterFailures("key", sqlState, 1)).isInstanceOf(DataAccessException.class);

        assertThat(failing.executions()).isEqualTo(1);
        assertThat(application.effects()).isZero();
        assertThat(application.outcomes().retries()).isEmpty();
        assertThat(application.outcomes().all()).containsExactly(Outcome.FAILED);
    }

    @Test
    void theLastFailureReachesTheCallerWhenTheAttemptsAreUsedUp() {
        assertThatThrownBy(() -> failing.payAfterFailures("key", "40001", 99)).hasMessageContaining("on purpose");

        assertThat(failing.executions()).isEqualTo(4);
        assertThat(application.outcomes().retries()).hasSize(3);
        assertThat(application.outcomes().all()).containsExactly(Outcome.FAILED);
    }

    @Test
    void aTransactionOfAnOuterCallerIsNotRepeated() {
        TransactionTemplate outer = application.transaction();

        assertThatThrownBy(() -> outer.executeWithoutResult(status -> failing.payAfterFailures("key", "40001", 1)))
                .hasMessageContaining("on purpose");

        assertThat(failing.executions()).isEqualTo(1);
    }

    @Test
    @Tag("race")
    void aRealDeadlockIsRepeated() {
        CountDownLatch bothHoldTheirFirst = new CountDownLatch(2);
        application.interruption().beforeEffectDo(() -> {
            bothHoldTheirFirst.countDown();
            Latches.await(bothHoldTheirFirst);
        });

        ConcurrentCalls.run(List.of(
                        () -> failing.moveBetween("one", "a1", "a2", application.interruption()),
                        () -> failing.moveBetween("two", "a2", "a1", application.interruption())))
                .requireAllSucceeded();

        assertThat(application.spent("a1")).isZero();
        assertThat(application.outcomes().retries())
                .isNotEmpty()
                .allSatisfy(retry -> assertThat(retry.sqlState()).isEqualTo("40P01"));
    }

    static class Failing extends PayingBean {

        @Transactional
        @Idempotent(scope = "failing", key = "#key")
        public String payAfterFailures(String key, String sqlState, int failures) {
            return pay(sqlState, failures);
        }

        private String pay(String sqlState, int failures) {
            int execution = makeEffect();
            if (execution <= failures) {
                jdbc.queryForList("select fail_with(?)", sqlState);
            }
            return "paid in execution " + execution;
        }

        @Transactional
        @Idempotent(scope = "moving", key = "#key", fingerprint = "{#from, #to}")
        public String moveBetween(String key, String from, String to, Interruption interruption) {
            jdbc.update("update account set cents = cents - 1 where name = ?", from);
            interruption.beforeEffect();
            jdbc.update("update account set cents = cents + 1 where name = ?", to);
            return key;
        }
    }
}
