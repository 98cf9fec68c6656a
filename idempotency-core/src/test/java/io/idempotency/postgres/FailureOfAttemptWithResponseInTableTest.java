package io.idempotency.postgres;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

/** Failures are recorded the same where responses are in a table of their own. */
@PostgresTest
class FailureOfAttemptWithResponseInTableTest extends FailureOfAttemptTest {

    FailureOfAttemptWithResponseInTableTest(TestDatabase database) {
        super(ResponsesInTable.of(database));
    }

    @BeforeAll
    static void partition(TestDatabase database) {
        ResponsesInTable.partition(database.jdbc());
    }

    @Test
    void itsResponsesAreInTheTableOfTheirOwn(TestDatabase database) throws Exception {
        leavesASuccessAlone();
        ResponsesInTable.requireUsed(database);
    }
}
