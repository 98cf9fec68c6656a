package io.idempotency.boot.interleaving;

import java.sql.SQLException;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.idempotency.boot.interleaving.Booking.Kind;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;
import io.idempotency.test.TestSize;

/** Calls of several steps, whose records may be in doubt or fail, and whose lease may expire. */
@PostgresTest
@Tag("race")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StepsInterleavingTest {

    private static final Set<Fault> NO_FAULTS = EnumSet.noneOf(Fault.class);

    private Applications applications;

    @BeforeAll
    void start(TestDatabase database) throws SQLException {
        applications = new Applications(database, Trips.class);
        for (Kind kind : Kind.values()) {
            applications.warmUp(Trips.class, kind::warmUp);
        }
    }

    @AfterAll
    void stop() throws SQLException {
        applications.close();
    }

    @Test
    void aRecordInDoubtIsFoundAndOneThatIsLostIsNoFailureOfTheStep() {
        Explorer explorer = explorer(Kind.CAREFUL, 1, false);
        explorer.exploreAll(EnumSet.of(Fault.COMMIT_LOST, Fault.COMMIT_UNANSWERED), 1);
        // The second step, and the completion, are one message each.
        for (Fault fault : List.of(Fault.UNSENT, Fault.UNANSWERED)) {
            explorer.replay("a a a a a a!" + fault);
            explorer.replay("a a a a a a a!" + fault);
        }
    }

    @Test
    void aMethodThatRepeatsAStepWhoseRecordIsInDoubtGetsItsResult() {
        explorer(Kind.REPEATED, 1, false).replay("a a a a!COMMIT_UNANSWERED a a a!EXCEPTION");
    }

    @Test
    @Tag("full")
    void aMethodThatRepeatsAStepWhoseRecordIsInDoubtAnywhere() {
        explorer(Kind.REPEATED, 1, false)
                .exploreAll(Bounds.ofPairs(EnumSet.of(Fault.COMMIT_UNANSWERED, Fault.UNANSWERED, Fault.EXCEPTION)));
    }

    @Test
    void aMethodThatHasStartedIsNotRunAgain() {
        explorer(Kind.REPEATED, 1, false).exploreAll(EnumSet.of(Fault.SERIALIZATION), 1);
    }

    @Test
    void noStepIsRunAfterOneThatCouldNotBeRecorded() {
        explorer(Kind.CARELESS, 1, false).exploreAll(EnumSet.of(Fault.EXCEPTION), 1);
    }

    @Test
    void aStepThatPostgresHasRolledBackIsNotRecorded() {
        explorer(Kind.SWALLOWING, 2, false).exploreAll(Bounds.of(NO_FAULTS, 0).withSwitches(1));
    }

    @Test
    void aLeaseExpiresBetweenTheSteps() {
        explorer(Kind.CAREFUL, 2, true).exploreAll(Bounds.of(NO_FAULTS, 0).withSwitches(0));
    }

    /** The second caller has found the lease expired before. */
    @Test
    void aLeaseThatIsExtendedIsNotTakenOver() {
        explorer(Kind.EXTENDING, 2, true).replay("a expiry b b a b");
    }

    @ParameterizedTest
    @EnumSource(names = {"CAREFUL", "EXTENDING"})
    @Tag("full")
    void aLeaseExpiresAnywhere(Kind kind) {
        explorer(kind, 2, true).exploreAll(Bounds.of(NO_FAULTS, 0).withSwitches(1));
    }

    @Test
    @Tag("full")
    void aLeaseExpiresAndOneFaultStrikesAtRandom() {
        explorer(Kind.EXTENDING, 2, true).walk(1, TestSize.pick(100, 3_000), 1);
    }

    private Explorer explorer(Kind kind, int callers, boolean expires) {
        return new Explorer(
                "trips-" + kind + "-of-" + callers + (expires ? "-with-expiry" : ""),
                applications.server(),
                new Booking(applications, kind, callers, expires));
    }
}
