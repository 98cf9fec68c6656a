package io.idempotency.boot.contract;

import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.Outcome;
import io.idempotency.inbox.Inbox;
import io.idempotency.observation.MessageOutcome;
import io.idempotency.test.Backends;
import io.idempotency.test.Backends.Backend;
import io.idempotency.test.CallResults;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.TestSize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The server process of a call, of a delivery or of a batch is terminated while that is at work. */
@ContractTest
class KilledBackendTest {

    private static final PayCommand COMMAND = new PayCommand("a1", 5);

    private final ContractApplication application;

    private final ContractApplication other;

    private final ContractApplication withoutRetries;

    KilledBackendTest(ContractApplications applications) {
        String[] quiet = {"logging.level.com.zaxxer.hikari=error", "logging.level.org.springframework.transaction=off"};
        List<Class<?>> beans = List.of(Bookings.class);
        application = applications.start(beans, quiet);
        other = applications.start(beans, quiet);
        withoutRetries = applications.start(beans, "idempotency.retry.max-attempts=1", quiet[0]);
        createGateInCommit(applications.database().jdbc());
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
                .extracting(Outcomes.Repeat::sqlState)
                .isIn("57P01", "08006");
        assertThat(application.outcomes().all()).containsExactly(Outcome.EXECUTED, Outcome.REPLAYED);
    }

    @Test
    void aBackendKilledDuringCommitIsInvisibleToTheCaller() throws Exception {
        Receipt receipt = killedInCommit(() -> application.payments().pay("key", COMMAND))
                .requireAllSucceeded()
                .get(0);

        assertThat(application.payments().pay("key", COMMAND)).isEqualTo(receipt);
        assertThat(application.effects()).isEqualTo(1);
        assertThat(application.outcomes().retries()).hasSize(1);
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
        TransactionTemplate outer = application.transaction();
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

    @ParameterizedTest
    @EnumSource
    void aKilledBackendIsInvisibleToADelivery(Moment moment) {
        AtomicInteger kills = killFirstExecution(application, moment);

        assertThat(bookings(application).bookInOrder(1, 5)).isEqualTo("booked");

        assertThat(kills).hasValue(1);
        assertThat(bookings(application).bookInOrder(1, 5)).isNull();
        assertThat(application.spent()).isEqualTo(5);
        assertThat(application.messageFailures()).isEmpty();
        assertThat(application.outcomes().retries())
                .singleElement()
                .extracting(Outcomes.Repeat::sqlState)
                // Nothing follows the effect but COMMIT, whose failure is hidden by that of the rollback.
                .isIn("57P01", "08006", null);
        assertThat(application.outcomes().ofMessages())
                .containsExactly(MessageOutcome.HANDLED, MessageOutcome.DUPLICATE);
    }

    @ParameterizedTest
    @EnumSource
    void aKilledBackendLeavesNothingAndTheNextDeliverySucceeds(Moment moment) {
        AtomicInteger kills = killFirstExecution(withoutRetries, moment);

        assertThatThrownBy(() -> bookings(withoutRetries).bookInOrder(1, 5)).isInstanceOf(RuntimeException.class);

        assertThat(kills).hasValue(1);
        assertThat(withoutRetries.effects()).isZero();
        assertThat(withoutRetries.handledMessages()).isEmpty();
        assertThat(withoutRetries.messageFailures()).isEmpty();
        assertThat(bookings(withoutRetries).bookInOrder(1, 5)).isEqualTo("booked");
        assertThat(bookings(withoutRetries).bookInOrder(2, 5)).isEqualTo("booked");
        assertThat(withoutRetries.spent()).isEqualTo(10);
    }

    @Test
    void aBackendKilledDuringCommitIsInvisibleToADelivery() throws Exception {
        assertThat(killedInCommit(() -> bookings(application).bookInOrder(1, 5)).requireAllSucceeded())
                .containsExactly("booked");

        assertThat(bookings(application).bookInOrder(1, 5)).isNull();
        assertThat(application.spent()).isEqualTo(5);
        assertThat(application.messageFailures()).isEmpty();
        assertThat(application.outcomes().retries()).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource
    void aKilledBatchLeavesNothingAndItsRepeatHandlesAllOfIt(Moment moment) {
        AtomicInteger kills = killFirstExecution(application, moment);

        assertThatThrownBy(() -> handleBatch("a", "b")).isInstanceOf(RuntimeException.class);

        assertThat(kills).hasValue(1);
        assertThat(application.effects()).isZero();
        assertThat(application.handledMessages()).isEmpty();
        assertThat(handleBatch("b", "a", "c")).containsExactly("b", "a", "c");
        assertThat(handleBatch("a", "b")).isEmpty();
        assertThat(application.spent()).isEqualTo(15);
    }

    @Test
    void aBatchKilledDuringCommitLeavesNothingAndItsRepeatHandlesAllOfIt() throws Exception {
        assertThat(killedInCommit(() -> handleBatch("a", "b")).failures())
                .singleElement()
                .isInstanceOf(RuntimeException.class);

        assertThat(application.handledMessages()).isEmpty();
        assertThat(handleBatch("a", "b")).containsExactly("a", "b");
        assertThat(application.spent()).isEqualTo(10);
    }

    @Test
    @Tag("race")
    void deliveriesThatWaitForAKilledOneHaveOneEffect() {
        int rounds = TestSize.pick(5, 100);
        for (int round = 0; round < rounds; round++) {
            String id = "round-" + round;
            killWhenAnotherWaits();

            List<Integer> answers = ConcurrentCalls.run(
                            8, i -> bookings(i % 2 == 0 ? application : other).book(id, 5))
                    .requireAllSucceeded();

            assertThat(answers.stream().filter(Objects::nonNull)).containsExactly(1);
        }
        assertEffectsAndRetries(rounds, null);
    }

    private static Bookings bookings(ContractApplication application) {
        return application.bean(Bookings.class);
    }

    private List<String> handleBatch(String... ids) {
        return application.transaction().execute(status -> {
            List<String> claimed = application.bean(Inbox.class).claimNew("batch", List.of(ids), id -> id);
            claimed.forEach(id -> bookings(application).makeEffect(5));
            return claimed;
        });
    }

    /** Lets a commit wait, after everything was done and before it is decided. */
    private static void createGateInCommit(JdbcTemplate jdbc) {
        jdbc.execute("""
                create function gate() returns trigger language plpgsql as
                'begin perform pg_advisory_xact_lock_shared(1); return null; end';
                create constraint trigger gate after insert on payment deferrable initially deferred
                for each row execute function gate()""");
    }

    private <T> CallResults<T> killedInCommit(Callable<T> work) throws Exception {
        try (Connection gate = application.database().connection();
                Statement statement = gate.createStatement()) {
            gate.setAutoCommit(false);
            statement.execute("select pg_advisory_xact_lock(1)");
            ConcurrentCalls<T> running = ConcurrentCalls.start(1, work);
            Backends backends = application.database().backends();
            backends.awaitBlocked(1);
            List<Backend> blocked =
                    backends.activity().stream().filter(Backend::blocked).toList();
            assertThat(blocked).singleElement().extracting(Backend::query).isEqualTo("COMMIT");
            backends.terminate(blocked.get(0).pid());
            gate.rollback();
            return running.await();
        }
    }

    @Test
    @Tag("race")
    void duplicatesThatWaitForAKilledCallHaveOneEffectAndEqualAnswers() {
        int rounds = TestSize.pick(5, 100);
        for (int round = 0; round < rounds; round++) {
            String key = "round-" + round;
            killWhenAnotherWaits();

            List<Receipt> answers = ConcurrentCalls.run(
                            8,
                            i -> (i % 2 == 0 ? application : other).payments().pay(key, COMMAND))
                    .requireAllSucceeded();

            assertThat(answers).hasSize(8).containsOnly(answers.get(0));
        }
        assertEffectsAndRetries(rounds, "57P01");
    }

    private void killWhenAnotherWaits() {
        AtomicInteger executions = new AtomicInteger();
        List.of(application, other)
                .forEach(one -> one.interruption().afterEffectDo(() -> {
                    if (executions.incrementAndGet() == 1) {
                        // Of the other application; further duplicates wait for that one before they take a connection.
                        one.database().backends().awaitBlocked(1);
                        terminateOwnBackend(one);
                    }
                }));
    }

    private void assertEffectsAndRetries(int rounds, @Nullable String sqlState) {
        assertThat(application.effects()).isEqualTo(rounds);
        assertThat(application.spent("a1")).isEqualTo(5L * rounds);
        assertThat(Stream.of(application, other)
                        .flatMap(one -> one.outcomes().retries().stream())
                        .map(Outcomes.Repeat::sqlState))
                .hasSize(rounds)
                .containsOnly(sqlState);
    }

    private void assertNothingIsLeft(ContractApplication application) {
        assertThat(application.effects()).isZero();
        assertNoRequestIsLeft(application);
        assertThat(application.outcomes().all()).containsExactly(Outcome.FAILED);
    }

    void assertNoRequestIsLeft(ContractApplication application) {
        assertThat(application.requests()).isZero();
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
