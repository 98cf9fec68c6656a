package io.idempotency.postgres;

import org.junit.jupiter.api.Test;

import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

/** Operators see the same where responses are in a table of their own. */
@PostgresTest
class AdministrationSearchOfResponsesInTableTest extends AdministrationSearchTest {

    AdministrationSearchOfResponsesInTableTest(TestDatabase database) {
        super(ResponsesInTable.of(database));
    }

    @Test
    void itsResponsesAreInTheTableOfTheirOwn(TestDatabase database) throws Exception {
        findsOneIntentWithAllThatIsKnownOfIt();
        ResponsesInTable.requireUsed(database);
    }
}
