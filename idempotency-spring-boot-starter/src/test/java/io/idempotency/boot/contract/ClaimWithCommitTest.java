package io.idempotency.boot.contract;

import java.util.List;
import java.util.Map;
import java.util.UUID;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.IdempotencyMode;
import io.idempotency.IdempotencyOperations;
import io.idempotency.Idempotent;
import io.idempotency.Outcome;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.CuttingProxy;
import io.idempotency.test.CuttingProxy.Point;
import io.idempotency.test.TestSize;

import static org.assertj.core.api.Assertions.assertThat;

/** Calls whose key is claimed by the statement that stores their response, wherever their connection is cut, and many at once. */
@ContractTest
@Tag("full")
class ClaimWithCommitTest {

    private static final PayCommand COMMAND = new PayCommand("a1", 5);

    private static final String INSERT = "into \"idempotency\".idempotency_request";

    private static final int CALLERS = 8;

    private final Map<TransactionKind, ContractApplication> applications;

    private final Map<TransactionKind, ContractApplication> others;

    private final ContractApplications contractApplications;

    private final CuttingProxy proxy;

    ClaimWithCommitTest(ContractApplications applications) {
        contractApplications = applications;
        proxy = applications.proxy();
        List<TransactionKind> kinds = List.of(TransactionKind.JDBC, TransactionKind.JPA);
        this.applications = TransactionKind.startEach(kinds, applications, Desk.class);
        this.others = TransactionKind.startEach(kinds, applications, Desk.class);
    }

    private enum Form {
        OPTIMISTIC(TransactionKind.JDBC),
        OPTIMISTIC_WITH_JPA(TransactionKind.JPA),
        WRITE(TransactionKind.JDBC);

        private final TransactionKind kind;

        Form(TransactionKind kind) {
            this.kind = kind;
        }

        private Receipt pay(Map<TransactionKind, ContractApplication> applications, String key) {
            Desk desk = applications.get(kind).bean(Desk.class);
            return this == WRITE ? desk.write(key) : desk.pay(key);
        }

        /** Returns whether the COMMIT is in the message of the row. */
        private boolean isOneMessage() {
            return this != OPTIMISTIC_WITH_JPA;
        }
    }

    @ParameterizedTest
    @EnumSource
    void aMessageThatIsCutAtAnyByteHasOneEffectAndOneAnswer(Form form) {
        int step = TestSize.pick(97, 1);
        int rounds = 0;
        int cutsBefore = proxy.cuts();
        for (int bytes = 0; bytes == 0 || bytes < proxy.lengthOfLastCut() + step; bytes += step) {
            proxy.cutNextWithin(INSERT, bytes);

            assertAnsweredAlike(form, "bytes-" + bytes);

            rounds++;
        }
        assertOneEffectEach(form, rounds, cutsBefore);
        assertThat(applications.get(form.kind).outcomes().retries())
                .as("the last message was sent as a whole, so that its answer may arrive")
                .hasSizeBetween(rounds - 1, rounds);
        assertThat(rounds * step).isGreaterThan(500);
    }

    @ParameterizedTest
    @EnumSource
    void aRowWithoutAnAnswerHasOneEffectAndOneAnswer(Form form) {
        assertUnansweredHasOneEffect(form, INSERT);
        assertThat(applications.get(form.kind).outcomes().all())
                .containsOnly(
                        form.isOneMessage()
                                ? new Outcome[] {Outcome.REPLAYED}
                                : new Outcome[] {Outcome.EXECUTED, Outcome.REPLAYED});
    }

    @ParameterizedTest
    @EnumSource
    void aCommitWithoutAnAnswerIsFound(Form form) {
        assertUnansweredHasOneEffect(form, "COMMIT");
        assertThat(applications.get(form.kind).outcomes().all()).containsOnly(Outcome.REPLAYED);
    }

    private void assertUnansweredHasOneEffect(Form form, String statement) {
        int rounds = TestSize.pick(5, 200);
        int cutsBefore = proxy.cuts();
        for (int round = 0; round < rounds; round++) {
            proxy.cutNext(statement, Point.BEFORE_ITS_ANSWER_IS_DELIVERED);

            assertAnsweredAlike(form, "round-" + round);
        }
        assertOneEffectEach(form, rounds, cutsBefore);
        assertThat(applications.get(form.kind).outcomes().retries()).hasSize(rounds);
    }

    private void assertAnsweredAlike(Form form, String name) {
        String key = form + name + UUID.randomUUID();
        Receipt answer = form.pay(applications, key);
        assertThat(form.pay(applications, key)).isEqualTo(answer);
        assertThat(form.pay(others, key)).isEqualTo(answer);
    }

    private void assertOneEffectEach(Form form, int rounds, int cutsBefore) {
        ContractApplication application = applications.get(form.kind);
        assertThat(proxy.cuts() - cutsBefore).isEqualTo(rounds);
        assertThat(application.effects()).isEqualTo(rounds);
        assertThat(application.spent("a1")).isEqualTo(5L * rounds);
    }

    @ParameterizedTest
    @EnumSource
    @Tag("race")
    void callersOfOneKeyInTwoInstancesHaveOneEffectAndOneAnswer(Form form) {
        int rounds = TestSize.pick(50, 1_000);
        for (int round = 0; round < rounds; round++) {
            String key = form + "-" + UUID.randomUUID();

            List<Receipt> answers = ConcurrentCalls.run(
                            CALLERS, caller -> form.pay(caller % 2 == 0 ? applications : others, key))
                    .requireAllSucceeded();

            assertThat(answers).hasSize(CALLERS).containsOnly(answers.get(0));
        }
        assertThat(applications.get(form.kind).effects()).isEqualTo(rounds);
        assertThat(applications.get(form.kind).spent("a1")).isEqualTo(5L * rounds);
    }

    @ParameterizedTest
    @ValueSource(strings = {"REPEATABLE_READ", "SERIALIZABLE"})
    @Tag("race")
    void writesOfOneKeyHaveOneEffectAndOneAnswerAtEachIsolationLevel(String level) {
        String isolation = "spring.datasource.hikari.transaction-isolation=TRANSACTION_" + level;
        List<ContractApplication> both = List.of(
                contractApplications.start(List.of(Desk.class), isolation),
                contractApplications.start(List.of(Desk.class), isolation));
        int rounds = TestSize.pick(20, 1_000);
        for (int round = 0; round < rounds; round++) {
            String key = level + "-" + UUID.randomUUID();

            List<Receipt> answers = ConcurrentCalls.run(
                            CALLERS,
                            caller -> both.get(caller % 2).bean(Desk.class).write(key))
                    .requireAllSucceeded();

            assertThat(answers).hasSize(CALLERS).containsOnly(answers.get(0));
        }
        assertThat(both.get(0).effects()).isEqualTo(rounds);
        assertThat(both.get(0).spent("a1")).isEqualTo(5L * rounds);
    }

    static class Desk extends PayingBean {

        private final IdempotencyOperations operations;

        Desk(IdempotencyOperations operations) {
            this.operations = operations;
        }

        @Transactional
        @Idempotent(scope = "desk", key = "#key", mode = IdempotencyMode.OPTIMISTIC, waitTimeout = "30s")
        public Receipt pay(String key) {
            Receipt receipt = Receipt.of(COMMAND);
            jdbc.update("insert into payment (id, account, cents) values (?, 'a1', 5)", receipt.paymentId());
            jdbc.update("update account set cents = cents - 5 where name = 'a1'");
            return receipt;
        }

        public Receipt write(String key) {
            Receipt receipt = Receipt.of(COMMAND);
            return operations
                    .write("desk-writes", key, "same")
                    .statement(
                            "insert into payment (id, account, cents) values (:id, 'a1', 5)",
                            Map.of("id", receipt.paymentId()))
                    .statement("update account set cents = cents - 5 where name = 'a1'", Map.of())
                    .expectRows(1)
                    .respond(Receipt.class, receipt);
        }
    }
}
