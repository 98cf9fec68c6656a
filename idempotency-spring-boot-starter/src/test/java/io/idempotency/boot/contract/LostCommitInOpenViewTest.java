package io.idempotency.boot.contract;

import java.util.List;
import java.util.function.Supplier;

import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.idempotency.test.CuttingProxy;
import io.idempotency.test.CuttingProxy.Point;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A web request with open-in-view, Spring Boot's default, brings its own EntityManager. */
@PostgresTest
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LostCommitInOpenViewTest {

    private static final PayCommand COMMAND = new PayCommand("a1", 5);

    private final TestDatabase database;

    private CuttingProxy proxy;

    private ContractApplication application;

    LostCommitInOpenViewTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeAll
    void start() {
        proxy = CuttingProxy.of(database);
        application = ContractApplication.start(
                database,
                List.of(WithJpa.class),
                "spring.datasource.url=" + proxy.jdbcUrl(),
                "idempotency.retry.delay=5ms",
                "logging.level.com.zaxxer.hikari=error",
                "logging.level.org.hibernate=off",
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

    @Test
    void whatWasCommittedIsReplayed() {
        proxy.cutNext("COMMIT", Point.BEFORE_ITS_ANSWER_IS_DELIVERED);

        Receipt answer = inRequest(() -> application.payments().pay("key", COMMAND));

        assertThat(inRequest(() -> application.payments().pay("key", COMMAND))).isEqualTo(answer);
        assertThat(application.effects()).isEqualTo(1);
    }

    /** The request's session has lost its connection, so nothing can be repeated in it. */
    @Test
    void whatWasNotCommittedFailsWithTheFirstFailureAndTheNextRequestSucceeds() {
        proxy.cutNext("COMMIT", Point.BEFORE_IT_IS_SENT);

        assertThatThrownBy(() -> inRequest(() -> application.payments().pay("key", COMMAND)))
                .isInstanceOf(DataAccessResourceFailureException.class)
                .hasMessageContaining("commit");

        assertThat(application.effects()).isZero();
        assertThat(inRequest(() -> application.payments().pay("key", COMMAND))).isNotNull();
        assertThat(application.effects()).isEqualTo(1);
    }

    private Receipt inRequest(Supplier<Receipt> call) {
        EntityManagerFactory factory = application.bean(EntityManagerFactory.class);
        EntityManager ofRequest = factory.createEntityManager();
        TransactionSynchronizationManager.bindResource(factory, new EntityManagerHolder(ofRequest));
        try {
            return call.get();
        } finally {
            TransactionSynchronizationManager.unbindResource(factory);
            ofRequest.close();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(HibernateJpaAutoConfiguration.class)
    static class WithJpa {}
}
