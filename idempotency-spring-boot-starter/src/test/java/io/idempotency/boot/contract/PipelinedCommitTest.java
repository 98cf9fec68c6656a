package io.idempotency.boot.contract;

import java.sql.Connection;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.Idempotent;
import io.idempotency.Outcome;
import io.idempotency.TransactionFailedException;
import io.idempotency.boot.testing.Callbacks;
import io.idempotency.inbox.Inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What happens between the return of a method and a COMMIT with which its response travels. */
@ContractTest
class PipelinedCommitTest {

    private final ContractApplication application;

    private final Shop shop;

    private final JdbcTemplate jdbc;

    PipelinedCommitTest(ContractApplications applications) {
        application = applications.start(
                List.of(Shop.class), PipelinedCommitContractTest.PIPELINED, "logging.level.com.zaxxer.hikari=error");
        shop = application.bean(Shop.class);
        jdbc = application.bean(JdbcTemplate.class);
    }

    @AfterEach
    void clear() {
        assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
        assertThat(application.database().backends().activity())
                .noneMatch(backend -> String.valueOf(backend.state()).startsWith("idle in transaction"));
        shop.beforeCommitDo(() -> {});
    }

    @Test
    void theSameKeyBeforeTheCommitReplays() {
        AtomicReference<String> repeated = new AtomicReference<>();
        shop.beforeCommitDo(() -> repeated.set(shop.sell("key")));

        String first = shop.sell("key");

        assertThat(repeated).hasValue(first);
        assertKeptOnce(first, Outcome.REPLAYED, Outcome.EXECUTED, Outcome.REPLAYED);
    }

    @Test
    void aRepeatThatASavepointTakesBackLeavesTheCallComplete() {
        shop.beforeCommitDo(() -> behindASavepoint(() -> {
            shop.sell("key");
            behindASavepoint(() -> shop.sell("key"));
            shop.sell("key");
        }));

        String first = shop.sell("key");

        assertThat(shop.sell("key")).isEqualTo(first);
        assertThat(application.effects()).isEqualTo(1);
        assertThat(application.request("key")).containsEntry("status", "succeeded");
    }

    @Test
    void anotherCallOrMessageBeforeTheCommitIsPartOfTheTransaction() {
        shop.beforeCommitDo(() -> {
            shop.sell("other");
            assertThat(application.bean(Inbox.class).claimNew("batch", List.of("a"), id -> id))
                    .containsExactly("a");
        });

        shop.sell("key");

        assertThat(application.effects()).isEqualTo(2);
        assertThat(application.request("key")).containsEntry("status", "succeeded");
        assertThat(application.request("other")).containsEntry("status", "succeeded");
        assertThat(application.handledMessages()).hasSize(1);
    }

    @Test
    void aCallInANewTransactionBeforeTheCommitIsApart() {
        shop.beforeCommitDo(() -> {
            shop.sellInNewTransaction("inner");
            assertThat(application.request("inner")).containsEntry("status", "succeeded");
            throw new IllegalStateException("the outer one fails");
        });

        assertThatThrownBy(() -> shop.sell("key")).hasMessage("the outer one fails");

        assertThat(application.effects()).isEqualTo(1);
        assertThat(application.requests()).isEqualTo(1);
    }

    @Test
    void aFailureSwallowedBeforeTheCommitFailsTheCall() {
        shop.beforeCommitDo(
                () -> assertThatThrownBy(() -> shop.fail("other")).isInstanceOf(IllegalStateException.class));

        assertThatThrownBy(() -> shop.sell("key"))
                .isInstanceOf(TransactionFailedException.class)
                .hasMessageContaining("rollback-only");

        assertThat(application.effects()).isZero();
        assertThat(application.requests()).isZero();
    }

    @Test
    void aRowThatVanishesBeforeTheCommitFailsTheCall() {
        shop.beforeCommitDo(() -> jdbc.update("delete from idempotency.idempotency_request"));

        assertThatThrownBy(() -> shop.sell("key"))
                .isInstanceOf(TransactionFailedException.class)
                .hasMessageContaining("its claim is gone");

        assertNothingIsKept();
    }

    @Test
    void callsAfterTheCommitAreNoPartOfIt() {
        TransactionTemplate anew = application.transaction(Propagation.REQUIRES_NEW);
        List<String> answers = new ArrayList<>();
        shop.beforeCommitDo(() -> Callbacks.afterCommit(() -> {
            answers.add(anew.execute(status -> shop.sell("key")));
            answers.add(shop.sell("late"));
        }));

        String first = shop.sell("key");

        assertThat(answers).hasSize(2).first().isEqualTo(first);
        assertThat(application.request("key")).containsEntry("status", "succeeded");
    }

    private void assertKeptOnce(String answer, Outcome... outcomes) {
        assertThat(shop.sell("key")).isEqualTo(answer);
        assertThat(application.effects()).isEqualTo(1);
        assertThat(application.outcomes().all()).containsExactlyInAnyOrder(outcomes);
    }

    private void assertNothingIsKept() {
        assertThat(application.effects()).isZero();
        assertThat(application.requests()).isZero();
        assertThat(application.outcomes().all()).containsExactly(Outcome.FAILED);
    }

    private void behindASavepoint(Runnable work) {
        jdbc.execute((Connection connection) -> {
            Savepoint savepoint = connection.setSavepoint();
            work.run();
            connection.rollback(savepoint);
            return null;
        });
    }

    static class Shop extends PayingBean {

        private final AtomicReference<Runnable> beforeCommit = new AtomicReference<>(() -> {});

        /** Of the next transaction. */
        void beforeCommitDo(Runnable callback) {
            beforeCommit.set(callback);
        }

        @Transactional("transactionManager")
        @Idempotent(scope = "shop", key = "#key")
        public String sell(String key) {
            return sellAndAwaitCommit();
        }

        @Transactional(propagation = Propagation.REQUIRES_NEW)
        @Idempotent(scope = "shop-new", key = "#key")
        public String sellInNewTransaction(String key) {
            return sellAndAwaitCommit();
        }

        @Transactional
        @Idempotent(scope = "shop-failing", key = "#key")
        public String fail(String key) {
            throw new IllegalStateException("on purpose");
        }

        private String sellAndAwaitCommit() {
            int execution = makeEffect();
            Runnable callback = beforeCommit.getAndSet(() -> {});
            Callbacks.beforeCommit(callback);
            return "sold in execution " + execution;
        }
    }
}
