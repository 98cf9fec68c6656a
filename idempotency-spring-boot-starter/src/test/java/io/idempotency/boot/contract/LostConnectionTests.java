package io.idempotency.boot.contract;

import java.util.List;
import java.util.function.IntPredicate;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.Outcome;
import io.idempotency.inbox.Inbox;
import io.idempotency.observation.MessageOutcome;
import io.idempotency.test.CuttingProxy;
import io.idempotency.test.CuttingProxy.Point;
import io.idempotency.test.TestSize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * The connection is cut at one point of a call, of a delivery or of a batch: the caller gets the right answer all the
 * same, or repeats a transaction of its own, and there is one effect. A subclass names the transaction manager.
 */
@ContractTest
abstract class LostConnectionTests {

    private static final long CENTS = 5;

    private static final PayCommand COMMAND = new PayCommand("a1", 5);

    private final CuttingProxy proxy;

    private final ContractApplication application;

    LostConnectionTests(
            ContractApplications applications,
            Class<? extends PlatformTransactionManager> transactionManager,
            List<Class<?>> beans,
            String... properties) {
        proxy = applications.proxy();
        application = applications.start(beans, properties);
        assertThat(application.bean(PlatformTransactionManager.class)).isExactlyInstanceOf(transactionManager);
    }

    enum Cut {
        CLAIM_NOT_SENT("insert into \"idempotency\"", Point.BEFORE_IT_IS_SENT),
        CLAIM_NOT_ANSWERED("insert into \"idempotency\"", Point.BEFORE_ITS_ANSWER_IS_DELIVERED),
        BATCH_NOT_SENT("processed_message_store", Point.BEFORE_IT_IS_SENT),
        BATCH_NOT_ANSWERED("processed_message_store", Point.BEFORE_ITS_ANSWER_IS_DELIVERED),
        EFFECT_NOT_ANSWERED("update account", Point.BEFORE_ITS_ANSWER_IS_DELIVERED),
        COMPLETION_NOT_ANSWERED("status = 'succeeded'", Point.BEFORE_ITS_ANSWER_IS_DELIVERED),
        MOVE_NOT_SENT("stream_position", Point.BEFORE_IT_IS_SENT),
        MOVE_NOT_ANSWERED("stream_position", Point.BEFORE_ITS_ANSWER_IS_DELIVERED),
        COMMIT_NOT_SENT("COMMIT", Point.BEFORE_IT_IS_SENT),
        COMMIT_NOT_ANSWERED("COMMIT", Point.BEFORE_ITS_ANSWER_IS_DELIVERED);

        private final String statement;

        private final Point point;

        Cut(String statement, Point point) {
            this.statement = statement;
            this.point = point;
        }

        /** What was committed without a word is found. */
        private boolean isCommitted() {
            return this == COMMIT_NOT_ANSWERED;
        }

        /** Of a call and its repeat: what is found is replayed to its own caller. */
        private Outcome[] outcomes() {
            return isCommitted()
                    ? new Outcome[] {Outcome.REPLAYED}
                    : new Outcome[] {Outcome.EXECUTED, Outcome.REPLAYED};
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = "(BATCH|MOVE)_.*")
    @Tag("race")
    void theCallerGetsTheAnswerAndThereIsOneEffect(Cut cut) {
        int rounds = TestSize.pick(5, 200);
        int cutsBefore = proxy.cuts();
        for (int round = 0; round < rounds; round++) {
            String key = "round-" + round;
            proxy.cutNext(cut.statement, cut.point);

            Receipt answer = application.payments().pay(key, COMMAND);

            assertThat(application.payments().pay(key, COMMAND)).isEqualTo(answer);
        }
        assertThat(proxy.cuts() - cutsBefore).isEqualTo(rounds);
        assertThat(application.effects()).isEqualTo(rounds);
        assertThat(application.spent("a1")).isEqualTo(5L * rounds);
        assertThat(application.outcomes().retries()).hasSize(rounds);
        assertThat(application.outcomes().all()).hasSize(2 * rounds).containsOnly(cut.outcomes());
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = "(BATCH|MOVE|COMPLETION)_.*")
    @Tag("race")
    void aMessageIsHandledOnce(Cut cut) {
        Bookings bookings = application.bean(Bookings.class);

        assertHandledOnce(cut, round -> bookings.book("round-" + round, CENTS) != null);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = "(BATCH|COMPLETION)_.*")
    @Tag("race")
    void aMessageOfAStreamIsHandledOnceAndTheStreamMovesWithIt(Cut cut) {
        Bookings bookings = application.bean(Bookings.class);

        assertHandledOnce(cut, round -> bookings.bookInOrder(round + 1, CENTS) != null);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = "(BATCH|MOVE|COMPLETION)_.*")
    @Tag("race")
    void aMessageOfTheInboxIsHandledOnce(Cut cut) {
        Inbox inbox = application.bean(Inbox.class);

        assertHandledOnce(cut, round -> inbox.handleOnce("inbox", "round-" + round, this::makeEffect));
    }

    /** The library opens the transaction. */
    @ParameterizedTest
    @EnumSource(names = {"COMMIT_NOT_SENT", "COMMIT_NOT_ANSWERED"})
    void aCallThatBringsNoTransactionIsMadeOnce(Cut cut) {
        proxy.cutNext(cut.statement, cut.point);
        Receipt answer = application.payments().payWithoutTransactional("key", COMMAND);

        assertThat(application.payments().payWithoutTransactional("key", COMMAND))
                .isEqualTo(answer);
        assertThat(application.effects()).isEqualTo(1);
    }

    private void assertHandledOnce(Cut cut, IntPredicate delivery) {
        int rounds = TestSize.pick(3, 200);
        int cutsBefore = proxy.cuts();
        for (int round = 0; round < rounds; round++) {
            proxy.cutNext(cut.statement, cut.point);

            assertThat(delivery.test(round))
                    .as("handled by this delivery, whether its COMMIT was answered or not")
                    .isTrue();
            assertThat(delivery.test(round)).isFalse();
        }
        assertThat(proxy.cuts() - cutsBefore).isEqualTo(rounds);
        assertThat(application.effects()).isEqualTo(rounds);
        assertThat(application.spent()).isEqualTo(CENTS * rounds);
        assertThat(application.messageFailures()).isEmpty();
        assertThat(application.outcomes().retries()).hasSize(rounds);
        assertThat(application.outcomes().ofMessages())
                .hasSize(2 * rounds)
                .filteredOn(MessageOutcome.HANDLED::equals)
                .hasSize(rounds);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = "(CLAIM|MOVE|COMPLETION)_.*")
    @Tag("race")
    void aBatchThatItsCallerRepeatsHasOneEffectForEachMessage(Cut cut) {
        int rounds = TestSize.pick(3, 200);
        int cutsBefore = proxy.cuts();
        for (int round = 0; round < rounds; round++) {
            String prefix = "round-" + round + "-";
            List<String> ids = List.of(prefix + "b", prefix + "c", prefix + "a");
            proxy.cutNext(cut.statement, cut.point);

            assertThatThrownBy(() -> handleBatch(ids)).isInstanceOf(RuntimeException.class);
            assertThat(handleBatch(ids)).isEqualTo(cut.isCommitted() ? List.of() : ids);
            assertThat(handleBatch(ids)).isEmpty();
        }
        assertThat(proxy.cuts() - cutsBefore).isEqualTo(rounds);
        assertThat(application.effects()).isEqualTo(3L * rounds);
        assertThat(application.spent()).isEqualTo(3 * CENTS * rounds);
    }

    private List<String> handleBatch(List<String> ids) {
        return application.transaction().execute(status -> {
            List<String> claimed = application.bean(Inbox.class).claimNew("batch", ids, id -> id);
            claimed.forEach(id -> makeEffect());
            return claimed;
        });
    }

    private void makeEffect() {
        JdbcTemplate jdbc = application.bean(JdbcTemplate.class);
        jdbc.update("insert into payment (id, account, cents) values (gen_random_uuid(), 'a1', ?)", CENTS);
        jdbc.update("update account set cents = cents - ? where name = 'a1'", CENTS);
    }

    @ParameterizedTest
    @EnumSource(names = {"COMMIT_NOT_SENT", "COMMIT_NOT_ANSWERED"})
    void anOuterTransactionIsTheOuterCallersToRepeat(Cut cut) {
        TransactionTemplate outer = application.transaction();
        proxy.cutNext(cut.statement, cut.point);

        assertThatThrownBy(() -> outer.executeWithoutResult(
                        status -> application.payments().pay("key", COMMAND)))
                .isInstanceOf(RuntimeException.class);

        assertThat(application.outcomes().retries()).isEmpty();
        application.payments().pay("key", COMMAND);
        assertThat(application.spent("a1")).isEqualTo(5);
    }
}
