package io.idempotency.boot.interleaving;

import java.sql.SQLException;
import java.util.EnumSet;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.context.annotation.Configuration;

import io.idempotency.test.TestDatabase;

/** Calls that claim their key first, in transactions of JPA. */
class JpaInterleavingTest extends CallInterleavings {

    JpaInterleavingTest() {
        super(
                (shop, key) -> shop.transactional(key, 5),
                Failures::ofTransactions,
                EnumSet.noneOf(Fault.class),
                EnumSet.of(Fault.TERMINATED, Fault.COMMIT_LOST, Fault.COMMIT_UNANSWERED, Fault.SERIALIZATION));
    }

    @Override
    Applications newApplications(TestDatabase database, String... properties) throws SQLException {
        return new Applications(database, WithJpa.class, properties);
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(HibernateJpaAutoConfiguration.class)
    static class WithJpa {}
}
