package io.idempotency.boot.contract;

import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

@PostgresTest
class ReceiverReadCommittedTest extends ReceiverContractTests {

    ReceiverReadCommittedTest(TestDatabase database) {
        super(database, "READ_COMMITTED");
    }
}
