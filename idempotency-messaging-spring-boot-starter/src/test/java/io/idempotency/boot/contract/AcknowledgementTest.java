package io.idempotency.boot.contract;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;

import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.interceptor.TransactionInterceptor;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.Idempotent;
import io.idempotency.Outcome;
import io.idempotency.RequestInProgressException;
import io.idempotency.TransactionFailedException;
import io.idempotency.TransactionMismatchException;
import io.idempotency.boot.testing.Callbacks;
import io.idempotency.test.CallResults;
import io.idempotency.test.ConcurrentCalls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A caller is told that a call succeeded only if what it did is kept, and so is the listener. */
@ContractTest
class AcknowledgementTest {

    private final ContractApplication application;

    private final Shop shop;

    private final TransactionTemplate outer;

    AcknowledgementTest(ContractApplications applications) {
        application = applications.start(List.of(Shop.class, Meddling.class));
        shop = application.bean(Shop.class);
        outer = application.transaction();
    }

    @AfterEach
    void clear() {
        application.bean(Meddling.class).marksRollbackOnly.set(false);
    }

    @Test
    void anAspectThatSetsRollbackOnlyDoesNotMakeItASuccess() {
        application.bean(Meddling.class).marksRollbackOnly.set(true);

        assertThatThrownBy(() -> shop.sellOrFail("key", false))
                .isInstanceOf(TransactionFailedException.class)
                .hasMessageContaining("marked rollback-only");

        assertNothingIsKept();
    }

    @Test
    void aCallThatWasUndoneWithASavepointCanBeMadeAgain() {
        outer.executeWithoutResult(status -> {
            Object savepoint = status.createSavepoint();
            shop.sellOrFail("key", false);
            status.rollbackToSavepoint(savepoint);
            shop.sellOrFail("key", false);
        });

        assertThat(application.effects()).isEqualTo(1);
        assertThat(application.outcomes().all()).containsExactly(Outcome.FAILED, Outcome.EXECUTED);
    }

    /** The completion of a method without a response is written with its claim. */
    @Test
    void aMethodThatTakesItsOwnClaimBackLeavesNothing() {
        assertThatThrownBy(() -> outer.executeWithoutResult(status -> {
                    Object savepoint = status.createSavepoint();
                    assertThatThrownBy(() -> shop.sellBehind("key", () -> status.rollbackToSavepoint(savepoint)))
                            .isInstanceOf(TransactionFailedException.class)
                            .hasMessageContaining("its claim is gone");
                }))
                .isInstanceOf(UnexpectedRollbackException.class);

        assertNothingIsKept();
    }

    @Test
    void aKeyThatWasCommittedCanBeUsedInAnAfterCommitCallback() {
        AtomicReference<String> repeated = new AtomicReference<>();

        outer.executeWithoutResult(status -> {
            shop.sellOrFail("key", false);
            Callbacks.afterCommit(() -> repeated.set(shop.sellInNewTransaction("other")));
            Callbacks.afterCommit(() -> repeated.set(
                    application.transaction(Propagation.REQUIRES_NEW).execute(state -> shop.sellOrFail("key", false))));
        });

        assertThat(repeated).hasValue("sold");
        assertThat(application.outcomes().all()).containsOnly(Outcome.EXECUTED, Outcome.REPLAYED);
    }

    @Test
    void aCallThatJoinsATransactionAfterItsCommitIsNotReportedAsExecuted() {
        outer.executeWithoutResult(status -> Callbacks.afterCommit(() -> shop.sellOrFail("key", false)));

        assertThat(application.outcomes().all()).containsExactly(Outcome.FAILED);
    }

    @Test
    void aTransactionManagerWithoutSynchronizationIsRefused() {
        JdbcTransactionManager silent = new JdbcTransactionManager(application.bean(DataSource.class));
        silent.setTransactionSynchronization(AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER);

        assertThatThrownBy(() ->
                        new TransactionTemplate(silent).executeWithoutResult(status -> shop.sellOrFail("key", false)))
                .isInstanceOf(TransactionMismatchException.class)
                .hasMessageContaining("synchronization");

        assertNothingIsKept();
    }

    @Test
    void aTransactionThatMustBeDoneSoonDoesNotWaitForLong() {
        TransactionTemplate hurried = application.transaction(Propagation.REQUIRES_NEW);
        hurried.setTimeout(1);

        outer.executeWithoutResult(holding -> {
            shop.sellOrFail("key", false);

            CallResults<Void> results =
                    ConcurrentCalls.run(1, () -> hurried.executeWithoutResult(status -> shop.sellOrFail("key", false)));

            assertThat(results.failures()).singleElement().isInstanceOf(RequestInProgressException.class);
            assertThat(results.get(0).took()).isLessThan(Duration.ofSeconds(4));
        });
    }

    private void assertNothingIsKept() {
        assertThat(application.effects()).isZero();
        assertThat(application.requests()).isZero();
        assertThat(application.outcomes().all()).containsExactly(Outcome.FAILED);
    }

    /** Stands between the transaction and the claim, as an aspect without an order does. */
    @Aspect
    static class Meddling {

        private final AtomicBoolean marksRollbackOnly = new AtomicBoolean();

        @Around("execution(* io.idempotency.boot.contract.AcknowledgementTest.Shop.sellOrFail(..))")
        Object around(ProceedingJoinPoint call) throws Throwable {
            Object result = call.proceed();
            if (marksRollbackOnly.get()) {
                TransactionInterceptor.currentTransactionStatus().setRollbackOnly();
            }
            return result;
        }
    }

    static class Shop extends PayingBean {

        @Transactional
        @Idempotent(scope = "shop", key = "#key", fingerprint = "'same'")
        public String sellOrFail(String key, boolean fails) {
            makeEffect();
            if (fails) {
                throw new IllegalStateException("on purpose");
            }
            return "sold";
        }

        @Transactional(propagation = Propagation.REQUIRES_NEW)
        @Idempotent(scope = "shop-new", key = "#key")
        public String sellInNewTransaction(String key) {
            makeEffect();
            return "sold";
        }

        @Transactional
        @Idempotent(scope = "shop-behind", key = "#key", fingerprint = "'same'")
        public void sellBehind(String key, Runnable work) {
            work.run();
            makeEffect();
        }
    }
}
