package io.idempotency.boot.interleaving;

import java.sql.SQLException;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.idempotency.boot.interleaving.FailingShop.End;
import io.idempotency.boot.interleaving.FailingShop.FailedException;
import io.idempotency.boot.interleaving.FailingShop.RefusedException;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;
import io.idempotency.test.TestSize;

/** A caller whose method fails, beside another one of the same key. */
@PostgresTest
@Tag("race")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FailureInterleavingTest {

    private Applications applications;

    @BeforeAll
    void start(TestDatabase database) throws SQLException {
        applications = new Applications(database, FailingShop.class, "idempotency.record-failed-attempts=true");
        for (Kind kind : Kind.values()) {
            applications.warmUp(kind.caller(End.SUCCEEDS));
            applications.warmUp(kind.caller(End.FAILS_FOR_GOOD));
        }
    }

    @AfterAll
    void stop() throws SQLException {
        applications.close();
    }

    @ParameterizedTest
    @EnumSource
    void twoCallers(Ends ends) {
        explorer(Kind.TRANSACTIONAL, ends.first, ends.second).exploreAll(EnumSet.noneOf(Fault.class), 0);
    }

    @Test
    void twoCallersAndOneFaultAtRandom() {
        explorer(Kind.TRANSACTIONAL, End.FAILS_FOR_GOOD, End.SUCCEEDS).walk(1, 20, 1);
    }

    @ParameterizedTest
    @EnumSource
    @Tag("full")
    void twoCallersAndOneFault(Ends ends) {
        explorer(Kind.TRANSACTIONAL, ends.first, ends.second).walk(1, TestSize.pick(100, 500), 1);
    }

    @ParameterizedTest
    @EnumSource
    @Tag("full")
    void twoLeasedCallers(Ends ends) {
        explorer(Kind.LEASED, ends.first, ends.second).exploreAll(EnumSet.noneOf(Fault.class), 0);
    }

    @ParameterizedTest
    @EnumSource
    @Tag("full")
    void twoCallersWithAStep(Ends ends) {
        explorer(Kind.STEP, ends.first, ends.second).exploreAll(EnumSet.noneOf(Fault.class), 0);
    }

    @ParameterizedTest
    @EnumSource
    @Tag("full")
    void threeCallersAtRandomWithTwoFaults(Kind kind) {
        for (Ends ends : Ends.values()) {
            explorer(kind, ends.first, ends.second, ends.first).walk(1, TestSize.pick(15, 200), 2);
        }
    }

    /** It is not run again, whatever its rollback and its record throw. */
    @Test
    void aFailureReachesItsCallerEvenIfTheConnectionIsLostAfterIt() {
        explorer(Kind.TRANSACTIONAL, End.FAILS).exploreAll(EnumSet.of(Fault.TERMINATED, Fault.UNSENT), 1);
    }

    /** The failure decides and not the exception of its rollback, so the call is repeated. */
    @Test
    void aSerializationFailureIsRepeatedEvenIfItsRollbackFails() {
        Caller<FailingShop> succeeding = Kind.TRANSACTIONAL.caller(End.SUCCEEDS);
        Caller<?> answered = new Caller<>(FailingShop.class, succeeding.calls(), (caller, run) -> false);
        explorer(Kind.TRANSACTIONAL, List.of(answered)).replay("a a!SERIALIZATION a!EXCEPTION");
    }

    /** The last caller records its failure when the others have made their attempts in the other application. */
    @Test
    void aFailureThatIsRecordedLateOverwritesNoLaterOne() {
        Caller<?> early = failingIn(1);
        explorer(Kind.TRANSACTIONAL, List.of(early, early, early, failingIn(0))).replay("d d d");
    }

    private Caller<?> failingIn(int application) {
        Caller<FailingShop> failing = Kind.TRANSACTIONAL.caller(End.FAILS);
        return new Caller<>(
                FailingShop.class,
                (any, key) -> failing.calls()
                        .apply(applications.beans(FailingShop.class).get(application), key),
                failing.failures());
    }

    @Test
    void aFinalFailureWhoseRecordIsInDoubtIsFound() {
        explorer(Kind.LEASED, End.FAILS_FOR_GOOD).exploreAll(EnumSet.of(Fault.UNANSWERED), 1);
    }

    /** The first of some thousand schedules. */
    @Test
    void aLeaseExpiresBeforeTheFailureOfItsHolderIsRecorded() {
        expiring().exploreFirst(40);
    }

    @Test
    @Tag("full")
    void aLeaseExpiresAtRandom() {
        expiring().walk(1, TestSize.pick(100, 500), 1);
    }

    private Explorer expiring() {
        Kind kind = Kind.LEASED;
        return explorer(kind, List.of(kind.caller(End.FAILS_FOR_GOOD), kind.caller(End.SUCCEEDS), Caller.EXPIRY));
    }

    private Explorer explorer(Kind kind, End... ends) {
        return explorer(kind, Stream.of(ends).<Caller<?>>map(kind::caller).toList());
    }

    /** A repeat would succeed if its method ran. */
    private Explorer explorer(Kind kind, List<Caller<?>> callers) {
        return new Explorer(
                kind + "-of-" + callers.size(),
                applications.server(),
                new Duplicates(applications, callers, kind.caller(End.SUCCEEDS)));
    }

    enum Ends {
        FAILURE_FOR_GOOD_AND_SUCCESS(End.FAILS_FOR_GOOD, End.SUCCEEDS),
        FAILURES_FOR_GOOD(End.FAILS_FOR_GOOD, End.FAILS_FOR_GOOD),
        FAILURE_FOR_GOOD_AND_FAILURE(End.FAILS_FOR_GOOD, End.FAILS),
        FAILURE_AND_SUCCESS(End.FAILS, End.SUCCEEDS),
        FAILURES(End.FAILS, End.FAILS);

        private final End first;

        private final End second;

        Ends(End first, End second) {
            this.first = first;
            this.second = second;
        }
    }

    @SuppressWarnings("ImmutableEnumChecker") // Its functions have no state.
    enum Kind {
        TRANSACTIONAL(FailingShop::transactional, Failures::ofTransactions),
        LEASED(FailingShop::leased, Failures::ofLeasesThatExpire),
        STEP(FailingShop::withStep, Failures::ofLeasesThatExpire);

        private final transient Calls calls;

        private final transient Failures failures;

        Kind(Calls calls, Failures failures) {
            this.calls = calls;
            this.failures = failures;
        }

        Caller<FailingShop> caller(End end) {
            return new Caller<>(
                    FailingShop.class,
                    (shop, key) -> FailingShop.answerOf(() -> calls.call(shop, key, end)),
                    this::mayFail);
        }

        /** A final failure whose record was struck by a fault reaches its caller, and binds nobody else. */
        private boolean mayFail(Actor caller, Run run) {
            return caller.failure() instanceof FailedException
                    || (caller.failure() instanceof RefusedException && Failures.afterFaults(caller, run))
                    || failures.mayFail(caller, run);
        }
    }

    @FunctionalInterface
    private interface Calls {

        Object call(FailingShop shop, String key, End end);
    }
}
