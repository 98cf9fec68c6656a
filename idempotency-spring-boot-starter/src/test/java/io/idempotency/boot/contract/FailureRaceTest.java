package io.idempotency.boot.contract;

import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.Idempotent;
import io.idempotency.RecordedFailureException;
import io.idempotency.test.CallResult;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.TestSize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * The record of a final failure is written after the rollback that lets another attempt go on, so both are under way at
 * the same time. Two applications, because in one the second attempt would wait for the end of the first.
 */
@Tag("race")
@ContractTest
@Tag("full")
class FailureRaceTest {

    private final ContractApplication failing;

    private final ContractApplication succeeding;

    FailureRaceTest(ContractApplications applications) {
        failing = applications.start(List.of(Counter.class));
        succeeding = applications.start(List.of(Counter.class));
    }

    @Test
    void aFinalFailureIsNeverRecordedOverAnotherAttemptsSuccess() throws Exception {
        int rounds = TestSize.pick(100, 1_000);
        int successes = 0;
        for (int round = 0; round < rounds; round++) {
            String key = "round-" + round;
            Gate gate = new Gate();
            ConcurrentCalls<String> first = ConcurrentCalls.start(
                    1,
                    () -> failing.bean(Counter.class).sell(key, () -> {
                        gate.holdTheFirst();
                        throw new SoldOut();
                    }));
            gate.awaitHeld();
            ConcurrentCalls<String> second = ConcurrentCalls.start(
                    1, () -> succeeding.bean(Counter.class).sell(key, () -> "sold"));
            failing.database().backends().awaitBlocked(1);
            gate.open();

            Throwable failure = first.await().get(0).failure();
            assertThat(failure).isInstanceOf(SoldOut.class);
            assertThat(failure.getSuppressed())
                    .as("a record that only the constraints of the table have kept away")
                    .doesNotHaveAnyElementsOfTypes(DataIntegrityViolationException.class);
            CallResult<String> other = second.await().get(0);

            if (other.succeeded()) {
                successes++;
                assertThat(failing.request(key)).containsEntry("status", "succeeded");
                assertThat(failing.bean(Counter.class).sell(key, FailureRaceTest::mustNotRun))
                        .isEqualTo(other.value());
            } else {
                assertThat(other.failure()).isInstanceOf(RecordedFailureException.class);
                assertThat(failing.request(key)).containsEntry("status", "failed_final");
                assertThat(catchThrowable(() -> succeeding.bean(Counter.class).sell(key, FailureRaceTest::mustNotRun)))
                        .isInstanceOf(RecordedFailureException.class);
            }
        }
        assertThat(successes)
                .as("attempts that claimed before the failure was recorded")
                .isPositive();
        assertThat(failing.effects()).isEqualTo(successes);
    }

    private static String mustNotRun() {
        throw new AssertionError("The method ran for a key that has its outcome");
    }

    static class Counter extends PayingBean {

        @Transactional
        @Idempotent(scope = "counter", key = "#key", fingerprint = "#key", finalFailures = SoldOut.class)
        public String sell(String key, Sale sale) throws SoldOut {
            makeEffect();
            return sale.run();
        }
    }

    @FunctionalInterface
    interface Sale {

        String run() throws SoldOut;
    }

    static class SoldOut extends Exception {

        private static final long serialVersionUID = 1L;
    }
}
