package io.idempotency.postgres;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

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

    @AfterAll
    static void requireUsed(TestDatabase database) {
        ResponsesInTable.requireUsed(database);
    }
}
