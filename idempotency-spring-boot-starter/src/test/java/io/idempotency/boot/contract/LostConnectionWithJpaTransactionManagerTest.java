package io.idempotency.boot.contract;

import java.util.List;

import org.junit.jupiter.api.Tag;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.orm.jpa.JpaTransactionManager;

@Tag("full")
class LostConnectionWithJpaTransactionManagerTest extends LostConnectionTests {

    LostConnectionWithJpaTransactionManagerTest(ContractApplications applications) {
        super(applications, JpaTransactionManager.class, List.of(Bookings.class, WithJpa.class));
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(HibernateJpaAutoConfiguration.class)
    static class WithJpa {}
}
