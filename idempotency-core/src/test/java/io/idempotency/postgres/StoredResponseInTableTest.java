package io.idempotency.postgres;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

/** The same of a table of their own. */
@PostgresTest
class StoredResponseInTableTest extends StoredResponseTest {

    StoredResponseInTableTest(TestDatabase database) {
        super(ResponsesInTable.of(database));
    }

    @BeforeAll
    static void partition(TestDatabase database) {
        ResponsesInTable.partition(database.jdbc());
    }

    @Test
    void itsResponsesAreInTheTableOfTheirOwn(TestDatabase database) throws Exception {
        theOrderOfMembersIsKept();
        ResponsesInTable.requireUsed(database);
    }
}
