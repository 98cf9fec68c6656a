package io.idempotency.boot.contract;

import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

@PostgresTest
class ReadCommittedContractTest extends IdempotentContractTests {

    ReadCommittedContractTest(TestDatabase database) {
        super(database, "READ_COMMITTED");
    }
}
