package io.idempotency.boot.contract;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.IdempotencyContext;
import io.idempotency.IdempotencyOperations;
import io.idempotency.Idempotent;
import io.idempotency.Outcome;
import io.idempotency.ReentrantCallException;
import io.idempotency.TransactionFailedException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Calls inside of transactions and of each other. */
@ContractTest
class NestedCallTest {

    private static final Duration AT_ONCE = Duration.ofSeconds(4);

    private final ContractApplication application;

    private final Steps steps;

    private final TransactionTemplate outer;

    NestedCallTest(ContractApplications applications) {
        application = applications.start(List.of(Steps.class, TakenConnections.class));
        steps = application.bean(Steps.class);
        outer = application.transaction();
    }

    /** A call that holds the last connection of the pool would wait for itself. */
    @Test
    void aRepeatInATransactionTakesNoOtherConnection() {
        UUID first = steps.pay("key", () -> {});
        AtomicInteger taken = application.bean(TakenConnections.class).number;
        int before = taken.get();

        outer.executeWithoutResult(
                status -> assertThat(steps.pay("key", () -> {})).isEqualTo(first));

        assertThat(taken.get() - before).isEqualTo(1);
    }

    @Test
    void aMethodThatCallsItselfWithItsOwnKeyIsRefusedAtOnce() {
        assertIsRefusedAtOnce(() -> steps.pay("key", () -> steps.pay("key", () -> {})), "calls itself");
    }

    @Test
    void aMethodThatMeetsItsOwnKeyInASuspendingTransactionIsRefusedAtOnce() {
        assertIsRefusedAtOnce(
                () -> steps.pay("key", () -> steps.payInNewTransactionOfTheSameScope("key")), "suspended");
    }

    @Test
    void aKeyThatASuspendedTransactionHasCompletedIsRefusedAtOnce() {
        assertIsRefusedAtOnce(
                () -> outer.executeWithoutResult(status -> {
                    steps.pay("key", () -> {});
                    steps.payInNewTransactionOfTheSameScope("key");
                }),
                "suspended");
    }

    private void assertIsRefusedAtOnce(ThrowingCallable call, String message) {
        long start = System.nanoTime();
        assertThatThrownBy(call).isInstanceOf(ReentrantCallException.class).hasMessageContaining(message);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(AT_ONCE);
        assertThat(application.effects()).isZero();
    }

    @Test
    void aKeyIsHeldNoLongerThanItsTransaction() {
        UUID first = steps.pay("key", () -> {});

        assertThat(steps.payInNewTransactionOfTheSameScope("key")).isEqualTo(first);
    }

    @Test
    void aCallThatFailedInATransactionCannotBeRepeatedInIt() {
        assertThatThrownBy(() -> outer.executeWithoutResult(status -> {
                    assertThatThrownBy(() -> steps.pay("key", () -> {
                                throw new IllegalStateException("first");
                            }))
                            .hasMessage("first");
                    steps.pay("key", () -> {});
                }))
                .isInstanceOf(TransactionFailedException.class)
                .hasMessageContaining("new transaction");

        assertThat(application.effects()).isZero();
    }

    @Test
    void aCallThatFailedBehindASavepointCanBeRepeated() {
        outer.executeWithoutResult(status -> {
            assertThatThrownBy(() -> steps.payNested("key", true)).hasMessage("nested");
            steps.payNested("key", false);
        });

        assertThat(application.effects()).isEqualTo(1);
        assertThat(application.outcomes().all()).containsExactly(Outcome.FAILED, Outcome.EXECUTED);
    }

    @Test
    void theContextTellsTheInnermostCall() {
        steps.pay("outer", () -> {
            assertThat(IdempotencyContext.current().intent()).hasToString("key 'outer' in scope 'steps'");
            assertThat(IdempotencyContext.current().attempt()).isEqualTo(1);
            steps.payNested("inner", false);
            assertThat(IdempotencyContext.current().intent().key()).hasToString("outer");
        });

        assertThat(IdempotencyContext.find()).isEmpty();
        assertThatThrownBy(IdempotencyContext::current).isInstanceOf(IllegalStateException.class);
    }

    static class TakenConnections implements BeanPostProcessor {

        private final AtomicInteger number = new AtomicInteger();

        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            return bean instanceof DataSource dataSource
                    ? new DelegatingDataSource(dataSource) {
                        @Override
                        public Connection getConnection() throws SQLException {
                            number.incrementAndGet();
                            return super.getConnection();
                        }
                    }
                    : bean;
        }
    }

    static class Steps extends PayingBean {

        @Autowired
        private ObjectProvider<IdempotencyOperations> operations;

        @Transactional
        @Idempotent(scope = "steps", key = "#key", fingerprint = "'same'")
        public UUID pay(String key, Runnable further) {
            UUID payment = pay();
            further.run();
            return payment;
        }

        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public UUID payInNewTransactionOfTheSameScope(String key) {
            return operations.getObject().execute("steps", key, "same", UUID.class, this::pay);
        }

        @Transactional(propagation = Propagation.NESTED)
        @Idempotent(scope = "steps-nested", key = "#key", fingerprint = "'same'")
        public UUID payNested(String key, boolean fails) {
            UUID payment = pay();
            if (fails) {
                throw new IllegalStateException("nested");
            }
            return payment;
        }

        private UUID pay() {
            return jdbc.queryForObject(
                    "insert into payment (id, account, cents) values (gen_random_uuid(), 'a1', 5) returning id",
                    UUID.class);
        }
    }
}
