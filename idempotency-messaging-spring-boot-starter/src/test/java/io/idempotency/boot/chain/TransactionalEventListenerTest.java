package io.idempotency.boot.chain;

import java.util.List;

import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.IdempotencyMode;
import io.idempotency.Idempotent;
import io.idempotency.inbox.IdempotentReceiver;

import static org.assertj.core.api.Assertions.assertThat;

/** An idempotent listener for events of transactions loses no event, or the application does not start. */
class TransactionalEventListenerTest extends LedgerTests {

    @ParameterizedTest
    @ValueSource(
            classes = {
                InNewTransaction.class,
                AfterCompletionInNewTransaction.class,
                ReceivingInNewTransaction.class,
                Asynchronous.class,
                AsynchronousAndLeased.class,
                BeforeTheCommit.class
            })
    void eachEventHasOneEffect(Class<?> listener) {
        try (ConfigurableApplicationContext application = start(AsyncEnabled.class, listener)) {
            String key = listener.getSimpleName();
            TransactionTemplate transaction =
                    new TransactionTemplate(application.getBean(PlatformTransactionManager.class));

            for (int i = 0; i < 2; i++) {
                transaction.executeWithoutResult(status -> application.publishEvent(new Paid(key)));
            }

            List<Object> effects =
                    List.copyOf(Awaitility.await().until(() -> committed.entries(key), found -> !found.isEmpty()));
            assertThat(effects).hasSize(1);
        }
    }

    /** The annotation alone makes nothing asynchronous. */
    @ParameterizedTest
    @ValueSource(classes = {Asynchronous.class, AsynchronousAndLeased.class})
    void asyncWithoutEnableAsyncIsRefused(Class<?> listener) {
        StartupFailure.of(database, new Class<?>[] {Ledger.class, listener})
                .says(listener.getName() + ".on(Paid)", "is a @TransactionalEventListener")
                .advises("@Async (and @EnableAsync)");
    }

    record Paid(String key) {}

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    static class AsyncEnabled {}

    static class InNewTransaction extends LedgerBean {

        @TransactionalEventListener
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        @Idempotent(scope = "new", key = "#event.key")
        public void on(Paid event) {
            ledger.enter(event.key());
        }
    }

    static class AfterCompletionInNewTransaction extends LedgerBean {

        @TransactionalEventListener(phase = TransactionPhase.AFTER_COMPLETION)
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        @Idempotent(scope = "after-completion", key = "#event.key")
        public void on(Paid event) {
            ledger.enter(event.key());
        }
    }

    @Transactional(propagation = Propagation.REQUIRES_NEW)
    static class ReceivingInNewTransaction extends LedgerBean {

        @TransactionalEventListener
        @IdempotentReceiver(consumer = "new", messageId = "#event.key")
        public void on(Paid event) {
            ledger.enter(event.key());
        }
    }

    static class Asynchronous extends LedgerBean {

        @Async
        @TransactionalEventListener
        @Idempotent(scope = "async", key = "#event.key")
        public void on(Paid event) {
            ledger.enter(event.key());
        }
    }

    @Async
    static class AsynchronousAndLeased extends LedgerBean {

        @TransactionalEventListener
        @Idempotent(scope = "leased", key = "#event.key", mode = IdempotencyMode.LEASED)
        public void on(Paid event) {
            ledger.enter(event.key());
        }
    }

    static class BeforeTheCommit extends LedgerBean {

        @TransactionalEventListener(phase = TransactionPhase.BEFORE_COMMIT)
        @Idempotent(scope = "before", key = "#event.key")
        public void on(Paid event) {
            ledger.enter(event.key());
        }
    }
}
