package io.idempotency.boot.interleaving;

import java.sql.SQLException;
import java.util.EnumSet;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The explorer finds calls that race, and repeats what it has found from its text alone. */
@PostgresTest
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ExplorerTest {

    private final Caller<Shop> caller =
            new Caller<>(Shop.class, (shop, key) -> shop.unguarded(key, 5), Failures::ofTransactions);

    private Applications applications;

    @BeforeAll
    void start(TestDatabase database) throws SQLException {
        applications = new Applications(database);
        applications.warmUp(caller);
    }

    @AfterAll
    void stop() throws SQLException {
        applications.close();
    }

    @Test
    void schedulesInWhichBothReadBeforeOneWritesAreFound() {
        assertThatThrownBy(() -> explorer().exploreAll(EnumSet.noneOf(Fault.class), 0))
                .hasMessageContaining("[2] effects")
                .hasMessageContaining("a a b a b b");
    }

    @Test
    void aPrintedScheduleIsRunAgain() {
        explorer().replay("a a a b b");

        assertThatThrownBy(() -> explorer().replay("a b b b a a")).hasMessageContaining("[2] effects");
    }

    @Test
    void aFaultStrikesWhereTheScheduleSays() {
        assertThatThrownBy(() -> explorer().replay("a a a!COMMIT_LOST b b b"))
                .hasMessageContaining("a was not answered")
                .hasMessageNotContaining("effects");
    }

    private Explorer explorer() {
        return new Explorer("unguarded", applications.server(), Duplicates.of(applications, caller, 2));
    }
}
