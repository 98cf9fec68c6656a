package io.idempotency.boot.contract;

import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.ReentrantCallException;
import io.idempotency.boot.contract.Callers.Call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Whoever holds a transaction waits in the database only, which sees who waits for whom. */
@ContractTest
@Tag("race")
class SingleFlightInTransactionsTest {

    private final ContractApplication application;

    private final Transfers transfers;

    private final TransactionTemplate outer;

    private final CyclicBarrier bothHoldTheirFirst = new CyclicBarrier(2);

    SingleFlightInTransactionsTest(ContractApplications applications) {
        this.application = applications.start(List.of(Transfers.class));
        this.transfers = application.bean(Transfers.class);
        this.outer = application.transaction();
    }

    @Test
    void transactionsThatCallTwoKeysCrosswiseAreADeadlockThatPostgresResolves() {
        try (Callers callers = Callers.onPlatformThreads()) {
            List<Call<Boolean>> calls =
                    List.of(callers.start(() -> commitsBoth("A", "B")), callers.start(() -> commitsBoth("B", "A")));

            assertThat(calls).extracting(Call::answer).containsExactlyInAnyOrder(true, false);
        }
        assertThat(application.effects()).isEqualTo(2);
    }

    private boolean commitsBoth(String firstKey, String secondKey) {
        try {
            outer.executeWithoutResult(status -> {
                transfers.transfer(firstKey);
                awaitOther();
                transfers.transfer(secondKey);
            });
            return true;
        } catch (PessimisticLockingFailureException deadlock) {
            assertThat(deadlock).rootCause().hasMessageContaining("deadlock detected");
            return false;
        }
    }

    @Test
    void methodsThatCallEachOthersKeysCrosswiseAreADeadlockThatIsRetried() {
        AtomicInteger executions = new AtomicInteger();
        try (Callers callers = Callers.onPlatformThreads()) {
            List<Call<String>> calls = List.of(
                    callers.start(() -> transfers.transferAnd("A", () -> meetAndTransfer("B", executions))),
                    callers.start(() -> transfers.transferAnd("B", () -> meetAndTransfer("A", executions))));

            assertThat(calls).extracting(Call::answer).doesNotContainNull().doesNotHaveDuplicates();
        }
        assertThat(application.effects()).isEqualTo(2);
        assertThat(application.outcomes().retries())
                .extracting(Outcomes.Repeat::sqlState)
                .containsOnly("40P01");
    }

    private void meetAndTransfer(String otherKey, AtomicInteger executions) {
        if (executions.incrementAndGet() <= 2) {
            awaitOther();
        }
        transfers.transferAnd(otherKey, () -> {});
    }

    @Test
    void aRepeatInTheSameTransactionDoesNotWaitForDuplicatesThatWaitForItsCommit() {
        try (Callers callers = Callers.onPlatformThreads()) {
            Call<Call<String>> repeated = callers.start(() -> outer.execute(status -> {
                String first = transfers.transfer("key");
                Call<String> duplicate = callers.start(() -> transfers.transfer("key"));
                application.database().backends().awaitBlocked(1);
                assertThat(transfers.transfer("key")).isEqualTo(first);
                return duplicate;
            }));

            assertThat(repeated.answer().answer()).isNotNull();
        }
        assertThat(application.effects()).isEqualTo(1);
    }

    @Test
    void aKeyOfASuspendedTransactionIsRefusedWithoutWaitingForDuplicatesThatWaitForItsCommit() {
        TransactionTemplate beside = application.transaction(Propagation.NOT_SUPPORTED);
        try (Callers callers = Callers.onPlatformThreads()) {
            Call<Call<String>> repeated = callers.start(() -> outer.execute(status -> {
                transfers.transfer("key");
                Call<String> duplicate = callers.start(() -> transfers.transfer("key"));
                application.database().backends().awaitBlocked(1);
                assertThatThrownBy(() -> beside.execute(suspended -> transfers.transfer("key")))
                        .isInstanceOf(ReentrantCallException.class);
                return duplicate;
            }));

            assertThat(repeated.answer().answer()).isNotNull();
        }
        assertThat(application.effects()).isEqualTo(1);
    }

    @Test
    void aCallThatJoinsATransactionWaitsInTheDatabase() {
        assertWaitsInTheDatabase(transfers::transfer);
    }

    @Test
    void aNewTransactionInsideOfAnotherWaitsInTheDatabase() {
        assertWaitsInTheDatabase(transfers::transferApart);
    }

    private void assertWaitsInTheDatabase(Function<String, String> transfer) {
        Gate gate = new Gate();
        application.interruption().afterEffectDo(gate::holdTheFirst);
        try (Callers callers = Callers.onPlatformThreads()) {
            Call<String> first = callers.start(() -> transfer.apply("key"));
            gate.awaitHeld();
            Call<String> duplicate = callers.start(() -> outer.execute(status -> transfer.apply("key")));

            application.database().backends().awaitBlocked(1);

            gate.open();
            assertThat(duplicate.answer()).isEqualTo(first.answer());
        }
        assertThat(application.effects()).isEqualTo(1);
    }

    private void awaitOther() {
        try {
            bothHoldTheirFirst.await(20, TimeUnit.SECONDS);
        } catch (InterruptedException | BrokenBarrierException | TimeoutException alone) {
            throw new IllegalStateException(alone);
        }
    }
}
