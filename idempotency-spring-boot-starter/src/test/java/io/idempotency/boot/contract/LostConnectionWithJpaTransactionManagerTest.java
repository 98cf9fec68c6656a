package io.idempotency.boot.contract;

import java.util.List;

import org.junit.jupiter.api.Tag;
import org.springframework.orm.jpa.JpaTransactionManager;

@Tag("full")
class LostConnectionWithJpaTransactionManagerTest extends LostConnectionTests {

    LostConnectionWithJpaTransactionManagerTest(ContractApplications applications) {
        super(applications, JpaTransactionManager.class, List.of(Bookings.class, TransactionKind.WithJpa.class));
    }
}
