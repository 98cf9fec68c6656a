package io.idempotency.postgres;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

/** One set of keys for SQL and Java where both write responses to a table of their own. */
@PostgresTest
class SqlAndJavaWithResponsesInTableTest extends SqlAndJavaTest {

    SqlAndJavaWithResponsesInTableTest(TestDatabase database) {
        super(ResponsesInTable.of(database));
    }

    @BeforeAll
    static void partition(TestDatabase database) {
        ResponsesInTable.partition(database.jdbc());
    }

    @Test
    void itsResponsesAreInTheTableOfTheirOwn(TestDatabase database) throws Exception {
        javaReplaysWhatSqlHasStoredAndSqlWhatJavaHas();
        ResponsesInTable.requireUsed(database);
    }
}
