package io.idempotency.boot.contract;

import java.util.List;

import org.springframework.jdbc.support.JdbcTransactionManager;

class LostConnectionWithJdbcTransactionManagerTest extends LostConnectionTests {

    LostConnectionWithJdbcTransactionManagerTest(ContractApplications applications) {
        super(applications, JdbcTransactionManager.class, List.of(Bookings.class));
    }
}
