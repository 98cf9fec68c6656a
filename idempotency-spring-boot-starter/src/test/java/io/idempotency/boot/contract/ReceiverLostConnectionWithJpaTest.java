package io.idempotency.boot.contract;

import java.util.List;

import org.springframework.orm.jpa.JpaTransactionManager;

import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

@PostgresTest
class ReceiverLostConnectionWithJpaTest extends ReceiverLostConnectionTests {

    ReceiverLostConnectionWithJpaTest(TestDatabase database) {
        super(
                database,
                JpaTransactionManager.class,
                List.of(LostConnectionWithJpaTransactionManagerTest.WithJpa.class));
    }
}
