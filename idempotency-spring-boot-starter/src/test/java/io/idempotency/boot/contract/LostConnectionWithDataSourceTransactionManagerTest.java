package io.idempotency.boot.contract;

import java.util.List;

import org.junit.jupiter.api.Tag;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;

import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

@PostgresTest
@Tag("full")
class LostConnectionWithDataSourceTransactionManagerTest extends LostConnectionTests {

    LostConnectionWithDataSourceTransactionManagerTest(TestDatabase database) {
        super(
                database,
                DataSourceTransactionManager.class,
                List.of(),
                "spring.persistence.exceptiontranslation.enabled=false",
                "spring.dao.exceptiontranslation.enabled=false");
    }
}
