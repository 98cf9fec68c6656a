package io.idempotency.boot.contract;

import java.util.List;

import org.junit.jupiter.api.Tag;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;

@Tag("full")
class LostConnectionWithDataSourceTransactionManagerTest extends LostConnectionTests {

    LostConnectionWithDataSourceTransactionManagerTest(ContractApplications applications) {
        super(
                applications,
                DataSourceTransactionManager.class,
                List.of(Bookings.class),
                "spring.persistence.exceptiontranslation.enabled=false",
                "spring.dao.exceptiontranslation.enabled=false");
    }
}
