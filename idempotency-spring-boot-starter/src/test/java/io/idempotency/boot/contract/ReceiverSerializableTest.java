package io.idempotency.boot.contract;

import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

@PostgresTest
class ReceiverSerializableTest extends ReceiverContractTests {

    ReceiverSerializableTest(TestDatabase database) {
        super(database, "SERIALIZABLE");
    }
}
