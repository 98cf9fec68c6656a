package io.idempotency.boot.contract;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.idempotency.Outcome;
import io.idempotency.RequestInProgressException;
import io.idempotency.boot.contract.Callers.Call;
import io.idempotency.boot.contract.LeasedPayments.Booked;
import io.idempotency.boot.testing.Callbacks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Duplicates in one JVM wait for each other before they take a connection, whatever threads they come on. */
@ContractTest
@Tag("race")
@ParameterizedClass
@MethodSource("io.idempotency.boot.contract.Callers#kinds")
class SingleFlightTest {

    private static final int POOL_SIZE = 5;

    private static final int STORM = 500;

    private final ContractApplication application;

    private final Transfers transfers;

    private final LeasedPayments leased;

    @Parameter
    private Callers.Kind threads;

    SingleFlightTest(ContractApplications applications) {
        this.application = applications.start(
                List.of(Transfers.class, LeasedPayments.class),
                "spring.datasource.hikari.maximum-pool-size=" + POOL_SIZE,
                "spring.datasource.hikari.connection-timeout=5000",
                "idempotency.max-waiting=" + STORM);
        this.transfers = application.bean(Transfers.class);
        this.leased = application.bean(LeasedPayments.class);
    }

    @Test
    void duplicatesOfASlowCallLeaveThePoolToOtherKeys() {
        Gate gate = holdTheFirstEffect();
        try (Callers duplicates = threads.callers();
                Callers others = threads.callers()) {
            List<Call<String>> answers = duplicates.start(STORM, () -> transfers.transfer("key"));
            gate.awaitHeld();
            duplicates.awaitWaiting(STORM);

            assertThat(pool().getActiveConnections()).isOne();
            assertThat(pool().getThreadsAwaitingConnection()).isZero();
            AtomicInteger next = new AtomicInteger();
            others.start(50, () -> transfers.transfer("other-" + next.incrementAndGet()))
                    .forEach(Call::answer);
            assertThat(application.effects())
                    .as("committed while the first is running")
                    .isEqualTo(50);

            gate.open();
            assertAnsweredAlike(answers.get(0), answers);
        }
        assertThat(application.effects()).isEqualTo(51);
    }

    /** Each would keep a thread of the server, which other keys need. */
    @Test
    void whoeverComesWhenAllPlacesAreTakenIsRefusedAtOnceAndAPlaceIsFreeWhenItsWaitIsOver() {
        Gate gate = holdTheFirstEffect();
        try (Callers duplicates = threads.callers()) {
            Call<String> first = duplicates.start(() -> transfers.transfer("key"));
            gate.awaitHeld();
            List<Call<String>> waiting = duplicates.start(STORM, () -> transfers.transfer("key"));
            duplicates.awaitWaiting(STORM + 1);

            // They would wait for ten minutes.
            for (Call<String> refused : duplicates.start(20, () -> transfers.transfer("key"))) {
                assertThat(refused.failure())
                        .isInstanceOfSatisfying(
                                RequestInProgressException.class,
                                inProgress ->
                                        assertThat(inProgress.retryAfter()).isPositive())
                        .hasMessageContaining("idempotency.max-waiting = " + STORM);
            }
            assertThat(application.outcomes().all()).hasSize(20).containsOnly(Outcome.IN_PROGRESS);
            assertThat(pool().getActiveConnections()).isOne();
            assertThat(transfers.transfer("another")).isNotNull();

            gate.open();
            assertAnsweredAlike(first, waiting);
            assertThat(transfers.transfer("key")).isEqualTo(first.answer());
        }
        assertThat(application.effects()).isEqualTo(2);
    }

    /** Two slow keys of one client would otherwise take all threads of the server. */
    @Test
    void theCallsThatWaitForAllKeysTogetherAreBounded() {
        Gate gate = new Gate();
        Gate another = new Gate();
        Iterator<Gate> gates = List.of(gate, another).iterator();
        application.interruption().afterEffectDo(() -> {
            Gate next;
            synchronized (gates) {
                next = gates.hasNext() ? gates.next() : null;
            }
            if (next != null) {
                next.holdTheFirst();
            }
        });
        try (Callers duplicates = threads.callers()) {
            Call<String> first = duplicates.start(() -> transfers.transfer("key"));
            gate.awaitHeld();
            Call<String> firstOfAnother = duplicates.start(() -> transfers.transfer("another"));
            another.awaitHeld();
            List<Call<String>> waiting = duplicates.start(STORM, () -> transfers.transfer("key"));
            List<Call<String>> waitingForAnother = duplicates.start(STORM / 2, () -> transfers.transfer("another"));
            duplicates.awaitWaiting(STORM + STORM / 2 + 2);

            for (Call<String> refused : duplicates.start(20, () -> transfers.transfer("another"))) {
                assertThat(refused.failure())
                        .isInstanceOf(RequestInProgressException.class)
                        .hasMessageContaining("idempotency.max-waiting-in-all = " + (STORM + STORM / 2));
            }
            assertThat(transfers.transfer("third")).isNotNull();

            gate.open();
            assertAnsweredAlike(first, waiting);
            another.open();
            assertAnsweredAlike(firstOfAnother, waitingForAnother);
        }
        assertThat(application.effects()).isEqualTo(3);
    }

    @Test
    void aLeasedCallThatNoMoreMayWaitForIsRefusedToo() {
        Gate gate = holdTheFirstEffect();
        try (Callers duplicates = threads.callers()) {
            Call<Booked> first = duplicates.start(() -> leased.payWithoutTransaction("key"));
            gate.awaitHeld();
            List<Call<Booked>> waiting = duplicates.start(STORM, () -> leased.payWithoutTransaction("key"));
            duplicates.awaitWaiting(STORM + 1);

            assertThatThrownBy(() -> leased.payWithoutTransaction("key"))
                    .isInstanceOf(RequestInProgressException.class)
                    .hasMessageContaining("idempotency.max-waiting");

            gate.open();
            assertAnsweredAlike(first, waiting);
        }
        assertThat(application.effects()).isEqualTo(1);
    }

    /** One after the other would have the last one wait for the round trips of all. */
    @Test
    void duplicatesOfACallThatHasSucceededReadItsResponseFourAtATime() throws SQLException {
        Gate gate = new Gate();
        try (Callers duplicates = threads.callers();
                Connection operator = application.database().connection()) {
            operator.setAutoCommit(false);
            application.interruption().afterEffectDo(() -> {
                if (gate.holdTheFirst()) {
                    Callbacks.afterCommit(() -> lockRequests(operator));
                }
            });
            List<Call<String>> answers = duplicates.start(20, () -> transfers.transfer("key"));
            gate.awaitHeld();
            duplicates.awaitWaiting(20);
            gate.open();

            application.database().backends().awaitBlocked(4);
            assertThat(pool().getActiveConnections()).isEqualTo(4);

            operator.rollback();
            assertAnsweredAlike(answers.get(0), answers);
        }
        assertThat(application.effects()).isEqualTo(1);
    }

    private static void lockRequests(Connection operator) {
        try (Statement lock = operator.createStatement()) {
            lock.execute("lock table idempotency.idempotency_request in access exclusive mode");
        } catch (SQLException refused) {
            throw new IllegalStateException(refused);
        }
    }

    @Test
    void theNextDuplicateRunsWhenTheFirstFails() {
        Gate gate = new Gate();
        application.interruption().afterEffectDo(() -> {
            if (gate.holdTheFirst()) {
                throw new IllegalStateException("the first fails");
            }
        });
        try (Callers duplicates = threads.callers()) {
            Call<String> first = duplicates.start(() -> transfers.transfer("key"));
            gate.awaitHeld();
            List<Call<String>> others = duplicates.start(20, () -> transfers.transfer("key"));
            duplicates.awaitWaiting(21);
            gate.open();

            assertThat(first.failure()).hasMessage("the first fails");
            assertAnsweredAlike(others.get(0), others);
        }
        assertThat(application.effects()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void duplicatesThatWaitInVainNeedNoConnectionToSaySo(boolean isLeased) throws SQLException {
        Supplier<Object> transfer =
                isLeased ? () -> leased.payImpatiently("key") : () -> transfers.transferImpatiently("key");
        Gate gate = holdTheFirstEffect();
        List<Connection> allOthers = new ArrayList<>();
        try (Callers duplicates = threads.callers()) {
            Call<Object> first = duplicates.start(transfer::get);
            gate.awaitHeld();
            while (allOthers.size() < POOL_SIZE - 1) {
                allOthers.add(application.bean(HikariDataSource.class).getConnection());
            }

            assertThat(duplicates.start(100, transfer::get))
                    .extracting(Call::failure)
                    .hasSize(100)
                    .hasOnlyElementsOfType(RequestInProgressException.class);

            assertThat(application.outcomes().all()).hasSize(100).containsOnly(Outcome.IN_PROGRESS);
            gate.open();
            assertThat(transfer.get()).isEqualTo(first.answer());
        } finally {
            for (Connection connection : allOthers) {
                connection.close();
            }
        }
        assertThat(application.effects()).isEqualTo(1);
    }

    @Test
    void whoeverIsNotToWaitGetsAnAnswerWhileTheFirstIsRunning() {
        Gate gate = holdTheFirstEffect();
        try (Callers duplicates = threads.callers()) {
            Call<String> first = duplicates.start(() -> transfers.transferOrFail("key"));
            gate.awaitHeld();

            assertThatThrownBy(() -> transfers.transferOrFail("key")).isInstanceOf(RequestInProgressException.class);

            gate.open();
            assertThat(transfers.transferOrFail("key")).isEqualTo(first.answer());
        }
    }

    @Test
    void anInterruptedDuplicateEndsItsWaitAndStaysInterrupted() {
        Gate gate = holdTheFirstEffect();
        try (Callers holder = threads.callers();
                Callers duplicates = threads.callers()) {
            Call<String> first = holder.start(() -> transfers.transfer("key"));
            gate.awaitHeld();
            List<Call<Boolean>> interrupted = duplicates.start(10, () -> {
                assertThatThrownBy(() -> transfers.transfer("key")).isInstanceOf(RequestInProgressException.class);
                return Thread.currentThread().isInterrupted();
            });
            duplicates.awaitWaiting(10);
            duplicates.interruptAll();

            assertThat(interrupted).extracting(Call::answer).hasSize(10).containsOnly(true);

            gate.open();
            assertThat(transfers.transfer("key")).isEqualTo(first.answer());
        }
    }

    private Gate holdTheFirstEffect() {
        Gate gate = new Gate();
        application.interruption().afterEffectDo(gate::holdTheFirst);
        return gate;
    }

    private static <T> void assertAnsweredAlike(Call<T> first, List<Call<T>> calls) {
        assertThat(calls).isNotEmpty().extracting(Call::answer).containsOnly(first.answer());
    }

    private HikariPoolMXBean pool() {
        return application.bean(HikariDataSource.class).getHikariPoolMXBean();
    }
}
