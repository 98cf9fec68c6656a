package io.idempotency.boot.contract;

import java.util.List;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.idempotency.boot.contract.LeasedPayments.Booked;
import io.idempotency.test.CuttingProxy;
import io.idempotency.test.CuttingProxy.Point;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** How often a method may be executed says nothing about how often its completion may be written. */
@PostgresTest
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LeaseCompletionTest {

    private final TestDatabase database;

    private CuttingProxy proxy;

    private ContractApplication application;

    LeaseCompletionTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeAll
    void start() {
        proxy = CuttingProxy.of(database);
        application = ContractApplication.start(
                database,
                List.of(LeasedPayments.class),
                "spring.datasource.url=" + proxy.jdbcUrl(),
                "idempotency.retry.max-attempts=1",
                "logging.level.com.zaxxer.hikari=error",
                "logging.level.org.springframework=off");
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

    @ParameterizedTest
    @EnumSource
    void theCompletionOfAMethodThatReturnedIsWritten(Point point) {
        LeasedPayments payments = application.bean(LeasedPayments.class);
        int before = payments.executions();
        application.interruption().afterEffectDo(() -> proxy.cutNext("COMMIT", point));

        Booked booked = null;
        Throwable failure = null;
        try {
            booked = payments.payWithoutTransaction("key");
        } catch (RuntimeException thrown) {
            failure = thrown;
        }
        application.interruption().reset();
        Booked repeat = payments.payWithoutTransaction("key");

        assertThat(payments.executions() - before)
                .as("outside calls; the first call got %s", failure)
                .isEqualTo(1);
        assertThat(booked).as("the first call got %s", failure).isEqualTo(repeat);
    }
}
