package io.idempotency.boot.contract;

import org.junit.jupiter.api.Tag;

import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

@PostgresTest
@Tag("full")
class RepeatableReadContractTest extends IdempotentContractTests {

    RepeatableReadContractTest(TestDatabase database) {
        super(database, "REPEATABLE_READ");
    }
}
