package io.idempotency.postgres;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

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

    /** What SQL stores is there in any case, once the table is in partitions. */
    @Test
    void responsesOfBothAreInTheTableOfTheirOwn(TestDatabase database) throws Exception {
        javaReplaysWhatSqlHasStoredAndSqlWhatJavaHas();
        assertThat(database.jdbc().queryForList("""
                        select idempotency_key
                        from idempotency.idempotency_request
                        join idempotency.idempotency_response using (request_id)""", String.class)).containsExactlyInAnyOrder("order-1", "order-2");
    }
}
