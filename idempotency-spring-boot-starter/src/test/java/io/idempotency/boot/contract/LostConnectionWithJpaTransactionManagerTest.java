package io.idempotency.boot.contract;

import java.util.List;

import org.junit.jupiter.api.Tag;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.orm.jpa.JpaTransactionManager;

import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

@PostgresTest
@Tag("full")
class LostConnectionWithJpaTransactionManagerTest extends LostConnectionTests {

    LostConnectionWithJpaTransactionManagerTest(TestDatabase database) {
        super(database, JpaTransactionManager.class, List.of(WithJpa.class));
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(HibernateJpaAutoConfiguration.class)
    static class WithJpa {}
}
