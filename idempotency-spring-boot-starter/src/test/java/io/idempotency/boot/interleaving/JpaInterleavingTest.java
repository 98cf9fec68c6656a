package io.idempotency.boot.interleaving;

import java.sql.SQLException;
import java.util.EnumSet;
import java.util.Map;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.context.annotation.Configuration;

import io.idempotency.test.TestDatabase;

/** Calls in transactions of JPA. */
class JpaInterleavingTest extends CallInterleavings {

    JpaInterleavingTest() {
        super(Map.of(
                Mode.TRANSACTIONAL, EnumSet.noneOf(Fault.class),
                Mode.OPTIMISTIC, EnumSet.of(Fault.COMMIT_LOST),
                Mode.LEASED, EnumSet.noneOf(Fault.class)));
    }

    @Override
    Applications newApplications(TestDatabase database, String... properties) throws SQLException {
        return new Applications(database, WithJpa.class, properties);
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(HibernateJpaAutoConfiguration.class)
    static class WithJpa {}
}
