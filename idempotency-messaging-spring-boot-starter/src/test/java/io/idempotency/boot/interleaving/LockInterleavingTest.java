package io.idempotency.boot.interleaving;

import java.sql.SQLException;
import java.util.EnumSet;
import java.util.List;
import java.util.function.BiFunction;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

/** Transactions that read and then write under one lock. */
@PostgresTest
@Tag("race")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LockInterleavingTest {

    private static final Caller<LockedShop> WAITING = caller(LockedShop::waiting);

    private static final Caller<LockedShop> TRYING = caller(LockedShop::trying);

    private Applications applications;

    @BeforeAll
    void start(TestDatabase database) throws SQLException {
        applications = new Applications(database, LockedShop.class);
        applications.warmUp(WAITING);
        applications.warmUp(TRYING);
    }

    @AfterAll
    void stop() throws SQLException {
        applications.close();
    }

    private static Caller<LockedShop> caller(BiFunction<LockedShop, String, Object> calls) {
        return new Caller<>(LockedShop.class, calls, Failures::afterFaults);
    }

    @Test
    void theSecondCallerWaits() {
        explorer("waiting", WAITING, WAITING).exploreAll(EnumSet.of(Fault.TERMINATED), 1);
    }

    @Test
    void whoTriesAndIsNotFirstDoesNotGetTheLock() {
        explorer("trying", TRYING, TRYING).exploreAll(EnumSet.of(Fault.TERMINATED), 1);
    }

    @Test
    void oneWaitsAndTheOtherTries() {
        explorer("waiting-and-trying", WAITING, TRYING).exploreAll(EnumSet.noneOf(Fault.class), 0);
    }

    private Explorer explorer(String name, Caller<?>... callers) {
        return new Explorer(
                "lock-" + name, applications.server(), new Duplicates(applications, List.of(callers), WAITING));
    }
}
