package io.idempotency.postgres;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

/** The same where responses are in a table of their own. */
@PostgresTest
class VanishingRowWithResponseInTableTest extends VanishingRowTest {

    VanishingRowWithResponseInTableTest(TestDatabase database) {
        super(ResponsesInTable.of(database));
    }

    @BeforeAll
    static void partition(TestDatabase database) {
        ResponsesInTable.partition(database.jdbc());
    }

    @Test
    void itsResponsesAreInTheTableOfTheirOwn(TestDatabase database) throws Exception {
        isClaimedAgain();
        ResponsesInTable.requireUsed(database);
    }
}
