package io.idempotency.boot.contract;

import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

@PostgresTest
class ReceiverRepeatableReadTest extends ReceiverContractTests {

    ReceiverRepeatableReadTest(TestDatabase database) {
        super(database, "REPEATABLE_READ");
    }
}
