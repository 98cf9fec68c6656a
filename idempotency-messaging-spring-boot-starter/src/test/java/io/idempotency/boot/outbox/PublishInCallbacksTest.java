package io.idempotency.boot.outbox;

import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.TransactionMismatchException;
import io.idempotency.boot.testing.Callbacks;
import io.idempotency.inbox.Inbox;
import io.idempotency.outbox.Outbox;
import io.idempotency.outbox.OutboxMessage;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** On connections that do not commit by themselves, what a callback writes after the commit would be lost without a word. */
@PostgresTest
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PublishInCallbacksTest {

    @AutoClose
    private final OutboxApplication application;

    private final Outbox outbox;

    private final Inbox inbox;

    private final TransactionTemplate transaction;

    private final TransactionTemplate another;

    PublishInCallbacksTest(TestDatabase database) {
        application = OutboxApplication.start(
                database, List.of(), "idempotency.outbox.relay=false", "spring.datasource.hikari.auto-commit=false");
        outbox = application.bean(Outbox.class);
        inbox = application.bean(Inbox.class);
        PlatformTransactionManager manager = application.bean(PlatformTransactionManager.class);
        transaction = new TransactionTemplate(manager);
        another = new TransactionTemplate(
                manager, new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW));
    }

    @AfterEach
    void clear() {
        application.clear();
    }

    @Test
    void afterTheCommitNothingIsPublishedOrClaimedAnyMore() {
        assertThatThrownBy(() -> commitWith(() -> Callbacks.afterCommit(() -> publish("late"))))
                .isInstanceOf(TransactionMismatchException.class)
                .hasMessageContaining("has been committed already");
        assertThatThrownBy(() ->
                        commitWith(() -> Callbacks.afterCommit(() -> inbox.claimNew("late", List.of("m-1"), id -> id))))
                .isInstanceOf(TransactionMismatchException.class);

        assertThat(application.messages()).containsExactly("1 pending", "1 pending");
    }

    @Test
    void afterTheCommitNothingIsPublishedInANestedTransactionEither() {
        TransactionTemplate nested = new TransactionTemplate(
                application.bean(PlatformTransactionManager.class),
                new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_NESTED));

        assertThatThrownBy(() -> commitWith(
                        () -> Callbacks.afterCommit(() -> nested.executeWithoutResult(status -> publish("late")))))
                .isInstanceOf(TransactionMismatchException.class)
                .hasMessageContaining("has been committed already");

        assertThat(application.messages()).containsExactly("1 pending");
    }

    @Test
    void inAReadOnlyTransactionNothingIsPublished() {
        TransactionTemplate readOnly = new TransactionTemplate(application.bean(PlatformTransactionManager.class));
        readOnly.setReadOnly(true);

        assertThatThrownBy(() -> readOnly.executeWithoutResult(status -> publish("late")))
                .isInstanceOf(TransactionMismatchException.class)
                .hasMessageContaining("The open transaction is read-only");

        assertThat(application.messages()).isEmpty();
    }

    @Test
    void aTransactionOfItsOwnInACallbackPublishes() {
        commitWith(() -> Callbacks.afterCommit(() -> another.executeWithoutResult(status -> publish("own"))));

        assertThat(application.messages()).containsExactly("1 pending", "own pending");
    }

    @Test
    void beforeTheCommitItIsStillTime() {
        commitWith(() -> Callbacks.beforeCommit(() -> publish("before")));

        assertThat(application.messages()).containsExactly("1 pending", "before pending");
    }

    @Test
    void theNextTransactionOfTheThreadPublishesWhateverBecameOfTheLast() {
        assertThatThrownBy(() -> transaction.executeWithoutResult(status -> {
                    publish("lost");
                    throw new IllegalStateException("as wanted");
                }))
                .isInstanceOf(IllegalStateException.class);

        transaction.executeWithoutResult(status -> publish("next"));

        assertThat(application.messages()).containsExactly("next pending");
    }

    private void commitWith(Runnable callback) {
        transaction.executeWithoutResult(status -> {
            publish("1");
            callback.run();
        });
    }

    private void publish(String number) {
        outbox.publish(OutboxMessage.of(Shop.TOPIC, "OrderPlaced")
                .payload(new Shop.OrderPlaced(number))
                .build());
    }
}
