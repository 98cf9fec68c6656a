package io.idempotency.boot.contract;

import java.util.List;
import java.util.concurrent.Callable;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.Outcome;
import io.idempotency.boot.contract.LeasedPayments.Booked;
import io.idempotency.boot.contract.LeasedPayments.Completion;
import io.idempotency.boot.contract.LeasedPayments.Declined;
import io.idempotency.boot.testing.Callbacks;
import io.idempotency.inbox.Inbox;
import io.idempotency.messaging.MessageOutcome;
import io.idempotency.test.CuttingProxy;
import io.idempotency.test.CuttingProxy.Point;
import io.idempotency.test.TestSize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * The caller is interrupted at the worst moment: a pool gives an interrupted thread no connection, and a virtual one closes
 * its socket.
 */
@ContractTest
@Tag("race")
@ParameterizedClass
@MethodSource("io.idempotency.boot.contract.Callers#kinds")
class InterruptedCallerTest {

    private static final int ROUNDS = TestSize.pick(5, 100);

    private static final PayCommand COMMAND = new PayCommand("a1", 5);

    @Parameter
    private Callers.Kind threads;

    private final CuttingProxy proxy;

    private final ContractApplication application;

    private final LeasedPayments leased;

    /** A caller that has lost the only connection has to wait for another. */
    InterruptedCallerTest(ContractApplications applications) {
        proxy = applications.proxy();
        application = applications.start(List.of(LeasedPayments.class), "spring.datasource.hikari.maximum-pool-size=1");
        leased = application.bean(LeasedPayments.class);
    }

    /** Without a cut, nothing but the interruption loses a connection, and only that of a virtual thread. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aCommitIsAskedAboutAllTheSame(boolean isCut) {
        for (int round = 0; round < ROUNDS; round++) {
            String key = "round-" + round;
            application.interruption().afterEffectDo(isCut ? this::cutAndInterruptAtCommit : this::interruptAtCommit);

            Receipt receipt = interrupted(() -> application.payments().pay(key, COMMAND));

            application.interruption().reset();
            assertThat(application.payments().pay(key, COMMAND)).isEqualTo(receipt);
        }
        assertThat(application.effects()).isEqualTo(ROUNDS);
    }

    @Test
    void aMessageThatItsOwnCommitHandledIsNoDuplicate() {
        Inbox inbox = application.bean(Inbox.class);
        for (int round = 0; round < ROUNDS; round++) {
            String id = "round-" + round;

            assertThat(interrupted(() -> inbox.handleOnce("inbox", id, () -> {
                        makeEffect();
                        cutAndInterruptAtCommit();
                    })))
                    .isTrue();
            assertThat(inbox.handleOnce("inbox", id, this::makeEffect)).isFalse();
        }
        assertThat(application.effects()).isEqualTo(ROUNDS);
        assertThat(application.outcomes().ofMessages())
                .hasSize(2 * ROUNDS)
                .filteredOn(MessageOutcome.HANDLED::equals)
                .hasSize(ROUNDS);
        assertThat(application.outcomes().messages())
                .filteredOn(message -> message.outcome() == MessageOutcome.HANDLED)
                .allSatisfy(message -> assertThat(message.attempt()).isOne());
    }

    @ParameterizedTest
    @EnumSource
    void aLeasedCallIsCompletedAndDoesNotRunAgain(Completion completion) {
        int before = leased.executions();
        for (int round = 0; round < ROUNDS; round++) {
            String key = "round-" + round;
            application.interruption().afterEffectDo(() -> {
                if (completion == Completion.IN_THE_TRANSACTION) {
                    cutAndInterruptAtCommit();
                } else {
                    cut();
                    Thread.currentThread().interrupt();
                }
            });

            Booked booked = interrupted(() -> completion.pay(leased, key));

            application.interruption().reset();
            assertThat(completion.pay(leased, key)).isEqualTo(booked);
        }
        assertThat(leased.executions() - before).isEqualTo(ROUNDS);
        assertThat(application.effects()).isEqualTo(ROUNDS);
        assertThat(application.outcomes().all()).containsOnly(Outcome.EXECUTED, Outcome.REPLAYED);
    }

    @Test
    void aFinalFailureOfALeasedCallIsRecorded() {
        application.interruption().afterEffectDo(() -> {
            cut();
            Thread.currentThread().interrupt();
            throw new Declined("declined");
        });

        interrupted(() ->
                assertThatThrownBy(() -> leased.payWithoutTransaction("key")).isInstanceOf(Declined.class));

        assertThat(application.request("key")).containsEntry("status", "failed_final");
    }

    /** Its rollback loses the connection of a virtual thread. */
    @Test
    void theFailureOfAMessageIsRecorded() {
        Inbox inbox = application.bean(Inbox.class);

        interrupted(() -> assertThatThrownBy(() -> inbox.handleOnce("inbox", "id", () -> {
                    makeEffect();
                    Thread.currentThread().interrupt();
                    throw new IllegalStateException("no room");
                }))
                .hasMessage("no room"));

        assertThat(application.effects()).isZero();
        assertThat(application.messageFailures())
                .singleElement()
                .satisfies(failure -> assertThat(failure).containsEntry("attempt_count", 1));
    }

    private <T> T interrupted(Callable<T> call) {
        try (Callers caller = threads.callers()) {
            return caller.start(() -> {
                        T answer = call.call();
                        assertThat(Thread.interrupted())
                                .as("the interrupt of the caller is kept")
                                .isTrue();
                        return answer;
                    })
                    .answer();
        }
    }

    private void cut() {
        proxy.cutNext("COMMIT", Point.BEFORE_ITS_ANSWER_IS_DELIVERED);
    }

    private void cutAndInterruptAtCommit() {
        cut();
        interruptAtCommit();
    }

    private void interruptAtCommit() {
        Callbacks.beforeCompletion(() -> Thread.currentThread().interrupt());
    }

    private void makeEffect() {
        application
                .bean(JdbcTemplate.class)
                .update("insert into payment (id, account, cents) values (gen_random_uuid(), 'a1', 5)");
    }
}
