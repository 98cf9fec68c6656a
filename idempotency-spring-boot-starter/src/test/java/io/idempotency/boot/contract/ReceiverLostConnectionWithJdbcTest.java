package io.idempotency.boot.contract;

import java.util.List;

import org.springframework.jdbc.support.JdbcTransactionManager;

import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

@PostgresTest
class ReceiverLostConnectionWithJdbcTest extends ReceiverLostConnectionTests {

    ReceiverLostConnectionWithJdbcTest(TestDatabase database) {
        super(database, JdbcTransactionManager.class, List.of());
    }
}
