package io.idempotency.boot.contract;

import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;

import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.Id;
import jakarta.persistence.PersistenceContext;
import jakarta.persistence.Table;
import jakarta.persistence.Version;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.persistence.autoconfigure.EntityScan;
import org.springframework.context.annotation.Configuration;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.IdempotencyMode;
import io.idempotency.IdempotencyOperations;
import io.idempotency.Idempotent;
import io.idempotency.Outcome;
import io.idempotency.ReentrantCallException;
import io.idempotency.RequestInProgressException;
import io.idempotency.TransactionFailedException;
import io.idempotency.TransactionMismatchException;
import io.idempotency.boot.testing.Callbacks;
import io.idempotency.test.ConcurrentCalls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

/** A call that claims its key when its method has returned, with each manager and beside another instance. */
@ContractTest
@ParameterizedClass
@EnumSource(names = {"JDBC", "JPA"})
class OptimisticCallTest {

    private final ContractApplications applications;

    private final ContractApplication other;

    private final JdbcTemplate jdbc;

    @Parameter
    private TransactionKind kind;

    private ContractApplication application;

    private Wallets wallets;

    /** New in each test, because an instance asks first for a key that it has seen. */
    private String key = "";

    OptimisticCallTest(ContractApplications applications) {
        this.applications = applications.withQuietFailures();
        jdbc = applications.database().jdbc();
        jdbc.execute("create table wallet (id text primary key, version int not null, cents bigint not null);"
                + "create table withdrawal (number text primary key, cents bigint not null)");
        other = applications.start(List.of(Wallets.class, VersionsBeside.class));
    }

    @BeforeParameterizedClassInvocation
    void start() {
        application = kind.start(
                applications,
                kind == TransactionKind.JPA
                        ? List.of(Wallets.class, Versions.class, Versioned.class)
                        : List.of(Wallets.class));
        wallets = application.bean(Wallets.class);
    }

    @BeforeEach
    void fillTheWallet() {
        jdbc.execute("delete from wallet; insert into wallet values ('w1', 0, 100); delete from withdrawal");
        wallets.reset();
        key = "withdrawal-" + UUID.randomUUID();
    }

    @Test
    void aDuplicateThatLacksTheMoneyOfItsFirstExecutionGetsItsResponse() {
        long left = other.bean(Wallets.class).withdraw(key, 100);

        assertThat(wallets.withdraw(key, 100)).isEqualTo(left).isZero();

        assertThat(outcomes()).containsExactly(Outcome.REPLAYED);
    }

    @Test
    void aDuplicateThatFailsInACallbackBeforeTheCommitGetsItsResponse() {
        long left = other.bean(Wallets.class).withdraw(key, 30);
        wallets.beforeCommitDo(() -> {
            throw new NoMoney();
        });

        assertThat(wallets.withdraw(key, 30)).isEqualTo(left);

        assertThat(outcomes()).containsExactly(Outcome.REPLAYED);
    }

    @Test
    void aDuplicateWhoseEntityWasChangedByItsFirstExecutionGetsItsResponse() {
        assumeThat(kind).isEqualTo(TransactionKind.JPA);
        Versions versions = application.bean(Versions.class);
        versions.beforeWriting(() -> ConcurrentCalls.run(
                        1, () -> other.bean(VersionsBeside.class).take(key, 30))
                .requireAllSucceeded());

        assertThat(versions.take(key, 30)).isEqualTo(70);
        assertThat(cents()).isEqualTo(70);

        versions.beforeWriting(() -> cents(50));
        assertThatThrownBy(() -> versions.take("another", 30)).isInstanceOf(OptimisticLockingFailureException.class);
        assertThat(outcomes()).containsExactly(Outcome.REPLAYED, Outcome.FAILED);
    }

    /** The other instance holds the key in an open transaction, which has changed nothing that the method needs. */
    @Test
    void theWaitForAnUncommittedRowIsBounded() {
        other.transaction().executeWithoutResult(status -> {
            other.bean(Wallets.class).touchNothing(key);

            assertThat(ConcurrentCalls.run(1, () -> wallets.touchNothing(key)).failures())
                    .singleElement()
                    .isInstanceOf(RequestInProgressException.class);
            status.setRollbackOnly();
        });

        assertThat(requests()).isZero();
        assertThat(outcomes()).containsExactly(Outcome.IN_PROGRESS);
    }

    @Test
    void inAnOpenTransactionTheKeyIsClaimedFirst() {
        TransactionTemplate outer = application.transaction();

        outer.executeWithoutResult(status -> {
            assertThat(wallets.claimed(key)).isEqualTo("processing");
            assertThat(wallets.claimed(key)).as("replayed").isEqualTo("processing");
        });

        assertThat(wallets.claimed("another")).isEqualTo("no row");
        assertThat(wallets.executions()).isEqualTo(2);
    }

    @Test
    void theSameKeyInACallbackBeforeTheCommitIsReplayedOrRefused() {
        AtomicReference<Object> repeated = new AtomicReference<>();
        wallets.beforeCommitDo(() -> {
            try {
                repeated.set(wallets.withdraw(key, 30));
            } catch (ReentrantCallException refused) {
                repeated.set("refused");
                throw refused;
            }
        });

        if (kind == TransactionKind.JPA) {
            assertThat(wallets.withdraw(key, 30)).isEqualTo(70);
            assertThat(repeated).hasValue(70L);
        } else {
            assertThatThrownBy(() -> wallets.withdraw(key, 30))
                    .isInstanceOf(ReentrantCallException.class)
                    .hasMessageContaining("stored with the COMMIT");
            assertThat(repeated).hasValue("refused");
            assertThat(cents()).isEqualTo(100);
            assertThat(requests()).isZero();
        }
    }

    @Test
    void aStatementThatFailedAndWasSwallowedFailsTheCall() {
        assertThatThrownBy(() -> wallets.swallow(key)).isInstanceOf(TransactionFailedException.class);

        assertThat(requests()).isZero();
        assertThat(cents()).isEqualTo(100);
    }

    @Test
    void aTransactionThatACallbackRollsBackByHandFailsTheCall() {
        assumeThat(kind).isNotEqualTo(TransactionKind.JPA);
        wallets.beforeCommitDo(() -> wallets.rollBackByHand());

        assertThatThrownBy(() -> wallets.withdraw(key, 30)).isInstanceOf(TransactionFailedException.class);

        assertThat(requests()).isZero();
        assertThat(cents()).isEqualTo(100);
    }

    @Test
    void aTransactionThatACallbackMarksRollbackOnlyFailsTheCall() {
        wallets.beforeCommitDo(
                () -> application.transaction().executeWithoutResult(TransactionStatus::setRollbackOnly));

        assertThatThrownBy(() -> wallets.withdraw(key, 30)).isInstanceOf(RuntimeException.class);

        assertThat(requests()).isZero();
        assertThat(cents()).isEqualTo(100);
    }

    @Test
    void anotherCallBeforeTheCommitIsPartOfTheTransaction() {
        wallets.beforeCommitDo(() -> {
            assertThat(wallets.claimed("another-" + key)).isEqualTo("processing");
            wallets.note();
        });

        assertThat(wallets.withdraw(key, 30)).isEqualTo(70);

        assertThat(requests()).isEqualTo(2);
        assertThat(notes()).isOne();
        wallets.beforeCommitDo(() -> {
            wallets.claimed("undone-" + key);
            throw new NoMoney();
        });
        assertThatThrownBy(() -> wallets.withdraw("failing-" + key, 30)).isInstanceOf(NoMoney.class);
        assertThat(requests()).isEqualTo(2);
    }

    /** If the attempt were undone, the other transaction would stay. */
    @Test
    void theCommitOfAnotherTransactionInTheMethodIsRefused() {
        Runnable commitsAnother = () -> requiresNew().executeWithoutResult(status -> wallets.note());
        List<Runnable> waysToCommit = List.of(
                commitsAnother,
                () -> assertThatThrownBy(commitsAnother::run).isInstanceOf(TransactionMismatchException.class),
                () -> Callbacks.beforeCommit(commitsAnother));

        for (Runnable committing : waysToCommit) {
            wallets.inMethodDo(committing);
            assertThatThrownBy(() -> wallets.withdraw(key, 30))
                    .isInstanceOf(TransactionMismatchException.class)
                    .hasMessageContaining("was about to commit another transaction")
                    .hasMessageEndingWith("or use the mode TRANSACTIONAL");
        }

        assertThat(cents()).isEqualTo(100);
        assertThat(notes()).isZero();
        assertThat(requests()).isZero();
        assertThat(wallets.withdraw(key, 30)).isEqualTo(70);
        wallets.inMethodDo(commitsAnother);
        Long left = application.transaction().execute(status -> wallets.withdraw("joined", 30));
        assertThat(left).as("claimed first").isEqualTo(40);
        assertThat(notes()).isOne();
    }

    @Test
    void aDuplicateThatCommitsAnotherTransactionGetsItsResponse() {
        long left = other.bean(Wallets.class).withdraw(key, 30);
        wallets.inMethodDo(() -> requiresNew().executeWithoutResult(status -> wallets.note()));

        assertThat(wallets.withdraw(key, 30)).isEqualTo(left);

        assertThat(notes()).isZero();
    }

    @Test
    void anotherTransactionMayReadInTheMethodAndWriteAfterTheCommit() {
        AtomicReference<Long> read = new AtomicReference<>();
        TransactionTemplate reading = requiresNew();
        reading.setReadOnly(true);
        wallets.inMethodDo(() -> {
            read.set(reading.execute(status -> cents()));
            Callbacks.afterCommit(() -> requiresNew().executeWithoutResult(status -> wallets.note()));
        });

        assertThat(wallets.withdraw(key, 30)).isEqualTo(70);

        assertThat(read).hasValue(100L);
        assertThat(notes()).isOne();
    }

    @Test
    void anUndoneAttemptCallsTheCallbacksOfItsRollback() {
        long left = other.bean(Wallets.class).withdraw(key, 30);
        List<Integer> ends = new ArrayList<>();
        wallets.inMethodDo(() -> Callbacks.afterCompletion(ends::add));

        assertThat(wallets.withdraw(key, 30)).isEqualTo(left);

        assertThat(ends).containsExactly(TransactionSynchronization.STATUS_ROLLED_BACK);
    }

    private TransactionTemplate requiresNew() {
        return application.transaction(Propagation.REQUIRES_NEW);
    }

    private long notes() {
        return jdbc.queryForObject("select count(*) from withdrawal", Long.class);
    }

    @Test
    void aProgrammaticCallMayBeOptimisticToo() {
        IdempotencyOperations operations = application.bean(IdempotencyOperations.class);

        for (int call = 0; call < 2; call++) {
            assertThat(operations
                            .call("programmatic", key, "same")
                            .optimistic()
                            .returning(Long.class)
                            .execute(() -> wallets.take(30)))
                    .isEqualTo(70);
        }

        assertThat(cents()).isEqualTo(70);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> operations
                        .call("programmatic", key, "same")
                        .finalFailures(List.of(NoMoney.class))
                        .optimistic())
                .withMessageStartingWith("An OPTIMISTIC call cannot have final failures");
    }

    private List<Outcome> outcomes() {
        return application.outcomes().all();
    }

    private long requests() {
        return other.requests();
    }

    private long cents() {
        return jdbc.queryForObject("select cents from wallet", Long.class);
    }

    private void cents(long cents) {
        jdbc.update("update wallet set version = version + 1, cents = ?", cents);
    }

    /** Changes an entity with a version, which another instance may change meanwhile. */
    static class Versions {

        @PersistenceContext
        private EntityManager entityManager;

        private final AtomicReference<Runnable> beforeWriting = new AtomicReference<>(() -> {});

        void beforeWriting(Runnable action) {
            beforeWriting.set(action);
        }

        @Transactional
        @Idempotent(scope = "versions", key = "#key", mode = IdempotencyMode.OPTIMISTIC)
        public long take(String key, long cents) {
            Wallet wallet = entityManager.find(Wallet.class, "w1");
            beforeWriting.getAndSet(() -> {}).run();
            wallet.cents -= cents;
            return wallet.cents;
        }
    }

    /** Does the same with JDBC, in the other instance. */
    static class VersionsBeside extends PayingBean {

        @Transactional
        @Idempotent(scope = "versions", key = "#key")
        public long take(String key, long cents) {
            jdbc.update("update wallet set version = version + 1, cents = cents - ?", cents);
            return jdbc.queryForObject("select cents from wallet", Long.class);
        }
    }

    @Entity
    @Table(name = "wallet")
    static class Wallet {

        @Id
        String id;

        @Version
        int version;

        long cents;
    }

    @Configuration(proxyBeanMethods = false)
    @EntityScan(basePackageClasses = Wallet.class)
    static class Versioned {}

    static class NoMoney extends RuntimeException {

        private static final long serialVersionUID = 1L;
    }

    static class Wallets extends PayingBean {

        private final AtomicReference<Runnable> beforeCommit = new AtomicReference<>(() -> {});

        private final AtomicReference<Runnable> inMethod = new AtomicReference<>(() -> {});

        @Override
        void reset() {
            super.reset();
            beforeCommit.set(() -> {});
            inMethod.set(() -> {});
        }

        /** Runs something in the method of the next call. */
        void inMethodDo(Runnable work) {
            inMethod.set(work);
        }

        void note() {
            jdbc.update("insert into withdrawal values (?, 0)", "note-" + UUID.randomUUID());
        }

        /** Runs the callback before the commit of the next transaction. */
        void beforeCommitDo(Runnable callback) {
            beforeCommit.set(callback);
        }

        @Transactional
        @Idempotent(scope = "withdraw", key = "#key", mode = IdempotencyMode.OPTIMISTIC)
        public long withdraw(String key, long cents) {
            return take(cents);
        }

        @Transactional
        @Idempotent(scope = "register", key = "#key", mode = IdempotencyMode.OPTIMISTIC)
        public String register(String key, String number) {
            countExecution();
            jdbc.update("insert into withdrawal values (?, 1)", number);
            return "registered at " + System.nanoTime();
        }

        @Transactional
        @Idempotent(scope = "touch-nothing", key = "#key", mode = IdempotencyMode.OPTIMISTIC, waitTimeout = "300ms")
        public void touchNothing(String key) {
            countExecution();
        }

        @Transactional
        @Idempotent(scope = "claimed", key = "#key", mode = IdempotencyMode.OPTIMISTIC)
        public String claimed(String key) {
            countExecution();
            return jdbc
                    .queryForList(
                            "select status from idempotency.idempotency_request where idempotency_key = ?",
                            String.class,
                            key)
                    .stream()
                    .findFirst()
                    .orElse("no row");
        }

        @Transactional
        @Idempotent(scope = "swallow", key = "#key", mode = IdempotencyMode.OPTIMISTIC)
        public String swallow(String key) {
            take(30);
            try {
                jdbc.update("insert into wallet values ('w1', 0, 0)");
            } catch (DuplicateKeyException swallowed) {
                return "swallowed";
            }
            return "not failed";
        }

        void rollBackByHand() {
            jdbc.execute((Connection connection) -> {
                connection.rollback();
                return null;
            });
        }

        long take(long cents) {
            countExecution();
            if (jdbc.update("update wallet set cents = cents - ? where cents >= ?", cents, cents) == 0) {
                throw new NoMoney();
            }
            inMethod.getAndSet(() -> {}).run();
            Callbacks.beforeCommit(beforeCommit.getAndSet(() -> {}));
            return jdbc.queryForObject("select cents from wallet", Long.class);
        }
    }
}
