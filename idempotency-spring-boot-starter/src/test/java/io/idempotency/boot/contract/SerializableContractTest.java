package io.idempotency.boot.contract;

import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

@PostgresTest
class SerializableContractTest extends IdempotentContractTests {

    SerializableContractTest(TestDatabase database) {
        super(database, "SERIALIZABLE");
    }
}
