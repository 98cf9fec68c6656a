package io.idempotency.boot.interleaving;

import java.sql.SQLException;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

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

    /** JPA flushes before its COMMIT, so that the row is sent before, and is not committed with it. */
    @Test
    void whoWaitsForTheRowOfAnInstanceThatStandsStillIsToldThatTheCallIsInProgress() {
        CallersBeside scenario =
                new CallersBeside(applications(), ScopedCalls.BRIEF_OPTIMISTIC, List.of(0, 1), Past.NONE, List.of());
        ScopedCalls.BRIEF_OPTIMISTIC.warmUp(applications());
        explorer("halting", new Halting(scenario))
                .exploreAll(Bounds.of(EnumSet.of(Fault.HALTED), 1).withSwitches(0));
    }

    @Configuration(proxyBeanMethods = false)
    @Import(BriefShop.class)
    @ImportAutoConfiguration(HibernateJpaAutoConfiguration.class)
    static class WithJpa {}
}
