package io.idempotency.boot.contract;

import java.util.List;
import java.util.function.Supplier;

import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.idempotency.test.CuttingProxy;
import io.idempotency.test.CuttingProxy.Point;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A web request with open-in-view, Spring Boot's default, brings its own EntityManager. */
@ContractTest
class LostCommitInOpenViewTest {

    private static final PayCommand COMMAND = new PayCommand("a1", 5);

    private final CuttingProxy proxy;

    private final ContractApplication application;

    LostCommitInOpenViewTest(ContractApplications applications) {
        proxy = applications.proxy();
        application = applications.start(List.of(TransactionKind.WithJpa.class));
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
}
