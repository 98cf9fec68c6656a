package io.idempotency.boot.contract;

import java.util.List;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

import io.idempotency.boot.contract.LeasedPayments.Booked;
import io.idempotency.test.CuttingProxy;
import io.idempotency.test.CuttingProxy.Point;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** JPA says "rolled back" of a COMMIT that nobody answered. */
@PostgresTest
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LeaseWithJpaTest {

    private final TestDatabase database;

    private CuttingProxy proxy;

    private ContractApplication application;

    private LeasedPayments payments;

    LeaseWithJpaTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeAll
    void start() {
        proxy = CuttingProxy.of(database);
        application = ContractApplication.start(
                database,
                List.of(LeasedPayments.class, WithJpa.class),
                "spring.datasource.url=" + proxy.jdbcUrl(),
                "idempotency.retry.delay=5ms",
                "logging.level.com.zaxxer.hikari=error",
                "logging.level.org.hibernate=off",
                "logging.level.org.springframework=off");
        payments = application.bean(LeasedPayments.class);
        assertThat(application.bean(PlatformTransactionManager.class)).isInstanceOf(JpaTransactionManager.class);
    }

    @AfterAll
    void stop() {
        application.close();
        proxy.close();
    }

    @AfterEach
    void clear() {
        application.clear();
    }

    @Test
    void theCommitOfACompletionIsResolved() {
        application.interruption().afterEffectDo(() -> proxy.cutNext("COMMIT", Point.BEFORE_ITS_ANSWER_IS_DELIVERED));

        Booked booked = payments.pay("key");

        assertThat(payments.pay("key")).isEqualTo(booked);
    }

    @Test
    void theCommitOfACompletionIsResolvedWithoutRunningTheMethodAgain() {
        int before = payments.executions();
        application.interruption().afterEffectDo(() -> {
            if (payments.executions() == before + 1) {
                proxy.cutNext("COMMIT", Point.BEFORE_ITS_ANSWER_IS_DELIVERED);
            }
        });

        Booked booked = payments.payRepeatably("key");

        assertThat(payments.executions() - before).isEqualTo(1);
        assertThat(payments.payRepeatably("key")).isEqualTo(booked);
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(HibernateJpaAutoConfiguration.class)
    static class WithJpa {}
}
