package io.idempotency.boot.interleaving;

import java.sql.SQLException;
import java.util.EnumSet;
import java.util.Set;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import io.idempotency.boot.interleaving.Applications.Calls;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;
import io.idempotency.test.TestSize;

/** The schedules of callers of one key, for one mode. */
@PostgresTest
@Tag("race")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class CallInterleavings {

    private final Calls calls;

    private final String[] properties;

    private Applications applications;

    private final Failures failures;

    private final Set<Fault> everyTime;

    private final Set<Fault> full;

    /**
     * Creates the tests.
     *
     * @param calls what the actors do
     * @param failures which callers need not be answered
     * @param everyTime the faults of the default run, which has some seconds
     * @param full those of the full run, which has a minute; the long one has all
     * @param properties of both applications
     */
    CallInterleavings(Calls calls, Failures failures, Set<Fault> everyTime, Set<Fault> full, String... properties) {
        this.calls = calls;
        this.failures = failures;
        this.everyTime = everyTime;
        this.full = full;
        this.properties = properties;
    }

    @BeforeAll
    void start(TestDatabase database) throws SQLException {
        applications = newApplications(database, properties);
        applications.warmUp(calls);
    }

    Applications newApplications(TestDatabase database, String... properties) throws SQLException {
        return new Applications(database, properties);
    }

    @AfterAll
    void stop() throws SQLException {
        applications.close();
    }

    @Test
    void twoCallersAndOneOfFewFaults() {
        explorer(2).exploreAll(everyTime, 1);
    }

    @Test
    @Tag("full")
    void twoCallersAndOneFault() {
        explorer(2).exploreAll(TestSize.pick(full, EnumSet.allOf(Fault.class)), 1);
    }

    /** Two of them are duplicates in one application, and wait for each other in the JVM. */
    @Test
    @Tag("full")
    void threeCallersAtRandomWithTwoFaults() {
        explorer(3).walk(1, TestSize.pick(100, 50_000), 2);
    }

    final Applications applications() {
        return applications;
    }

    private Explorer explorer(int callers) {
        return explorer(callers, false, failures);
    }

    final Explorer explorer(int callers, boolean expires, Failures failures) {
        return new Explorer(
                getClass().getSimpleName() + "-of-" + callers,
                applications.server(),
                new Duplicates(applications, calls, callers, expires, failures));
    }
}
