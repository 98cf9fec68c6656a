package io.idempotency.boot.interleaving;

import java.sql.SQLException;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;
import io.idempotency.test.TestSize;

/** The schedules of callers of one key, for some modes in one kind of transactions. */
@PostgresTest
@Tag("race")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class CallInterleavings {

    private final Map<Mode, Set<Fault>> everyTime;

    private final String[] properties;

    private Applications applications;

    /**
     * Creates the tests.
     *
     * @param everyTime the modes, and for each the faults of the default run, which has some seconds
     * @param properties of both applications
     */
    CallInterleavings(Map<Mode, Set<Fault>> everyTime, String... properties) {
        this.everyTime = new EnumMap<>(everyTime);
        this.properties = properties;
    }

    @BeforeAll
    void start(TestDatabase database) throws SQLException {
        applications = newApplications(database, properties);
        modes().forEach(mode -> applications.warmUp(mode.caller()));
    }

    Applications newApplications(TestDatabase database, String... properties) throws SQLException {
        return new Applications(database, properties);
    }

    @AfterAll
    void stop() throws SQLException {
        applications.close();
    }

    Set<Mode> modes() {
        return everyTime.keySet();
    }

    @ParameterizedTest
    @MethodSource("modes")
    void twoCallersAndOneOfFewFaults(Mode mode) {
        explorer(mode, 2).exploreAll(everyTime.get(mode), 1);
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Tag("full")
    void twoCallersAndOneFault(Mode mode) {
        explorer(mode, 2).exploreAll(TestSize.pick(faultsInFull(mode), faultsInLong(mode)), 1);
    }

    /** Those whose repair depends on the transactions. */
    Set<Fault> faultsInFull(Mode mode) {
        return mode.isLeased()
                ? EnumSet.of(Fault.COMMIT_UNANSWERED, Fault.UNANSWERED)
                : EnumSet.of(Fault.COMMIT_UNANSWERED, Fault.SERIALIZATION, Fault.TERMINATED);
    }

    Set<Fault> faultsInLong(Mode mode) {
        return EnumSet.allOf(Fault.class);
    }

    /** Two of them are duplicates in one application, and wait for each other in the JVM. */
    @ParameterizedTest
    @MethodSource("modes")
    @Tag("full")
    void threeCallersAtRandomWithTwoFaults(Mode mode) {
        explorer(mode, 3).walk(1, TestSize.pick(40, 600), 2);
    }

    @ParameterizedTest(allowZeroInvocations = true)
    @MethodSource("leasedModes")
    void twoCallersAndALeaseThatExpiresAtRandom(Mode mode) {
        withExpiry(mode).walk(1, TestSize.pick(20, 600), 0);
    }

    List<Mode> leasedModes() {
        return modes().stream().filter(Mode::isLeased).toList();
    }

    final Applications applications() {
        return applications;
    }

    private Explorer explorer(Mode mode, int callers) {
        return explorer(mode + "-of-" + callers, Duplicates.of(applications, mode.caller(), callers));
    }

    final Explorer withExpiry(Mode mode) {
        Caller<Shop> caller = new Caller<>(Shop.class, mode.caller().calls(), Failures::ofLeasesThatExpire);
        return explorer(
                mode + "-with-expiry", new Duplicates(applications, List.of(caller, caller, Caller.EXPIRY), caller));
    }

    final Explorer explorer(String name, Scenario scenario) {
        return new Explorer(getClass().getSimpleName() + "-" + name, applications.server(), scenario);
    }
}
