package io.idempotency.boot.contract;

import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

@PostgresTest
class RepeatableReadContractTest extends IdempotentContractTests {

    RepeatableReadContractTest(TestDatabase database) {
        super(database, "REPEATABLE_READ");
    }
}
