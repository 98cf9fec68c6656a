package io.idempotency.boot.interleaving;

import java.sql.SQLException;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;

import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

/** The schedules of callers beside others who change the row of their key. */
@PostgresTest
@Tag("race")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class InterventionInterleavings {

    static final Set<Fault> NO_FAULTS = EnumSet.noneOf(Fault.class);

    private final Class<?> configuration;

    private final List<ScopedCalls<?>> warmUp;

    private final String[] properties;

    private Applications applications;

    InterventionInterleavings(Class<?> configuration, List<ScopedCalls<?>> warmUp, String... properties) {
        this.configuration = configuration;
        this.warmUp = warmUp;
        this.properties = properties;
    }

    @BeforeAll
    void start(TestDatabase database) throws SQLException {
        applications = new Applications(database, configuration, properties);
        warmUp.forEach(calls -> calls.warmUp(applications));
    }

    @AfterAll
    void stop() throws SQLException {
        applications.close();
    }

    final Applications applications() {
        return applications;
    }

    final Explorer explorer(CallersBeside scenario) {
        return new Explorer(scenario.name(), applications.server(), scenario);
    }

    /** Explores the same with actors that may stand still. */
    final Explorer halting(CallersBeside scenario) {
        return new Explorer("halting-" + scenario.name(), applications.server(), new Halting(scenario));
    }
}
