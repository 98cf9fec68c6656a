package io.idempotency.boot.contract;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.idempotency.Idempotent;
import io.idempotency.Outcome;
import io.idempotency.RecordedFailureException;
import io.idempotency.internal.transaction.PipelinedTransactionManager;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What fails when the method is done: after the COMMIT, in it, and in the rollback. */
@ContractTest
class AfterCommitTest {

    private final Map<Manager, ContractApplication> applications = new EnumMap<>(Manager.class);

    AfterCommitTest(ContractApplications applications) {
        applications.database().jdbc().execute("create table seat (number int unique deferrable initially deferred)");
        applications.withQuietFailures();
        for (Manager manager : Manager.values()) {
            ContractApplication application = applications.start(manager.beans(), manager.properties());
            assertThat(application.bean(PlatformTransactionManager.class)).isExactlyInstanceOf(manager.type);
            this.applications.put(manager, application);
        }
    }

    @AfterEach
    void clear() {
        applications
                .values()
                .forEach(application -> application.bean(Settlement.class).reset());
    }

    enum Manager {
        DATA_SOURCE(DataSourceTransactionManager.class, TransactionSystemException.class),
        JDBC(JdbcTransactionManager.class, DuplicateKeyException.class),
        PIPELINED(PipelinedTransactionManager.class, DuplicateKeyException.class),
        PIPELINED_WITHOUT_TRANSLATION(PipelinedTransactionManager.class, TransactionSystemException.class),
        JPA(JpaTransactionManager.class, DataIntegrityViolationException.class);

        private final Class<? extends PlatformTransactionManager> type;

        private final Class<? extends Exception> violation;

        Manager(Class<? extends PlatformTransactionManager> type, Class<? extends Exception> violation) {
            this.type = type;
            this.violation = violation;
        }

        private List<Class<?>> beans() {
            List<Class<?>> beans = new ArrayList<>(List.of(Settlement.class));
            if (this == JPA) {
                beans.add(TransactionKind.WithJpa.class);
            }
            return beans;
        }

        private String[] properties() {
            List<String> properties = new ArrayList<>(List.of("idempotency.record-failed-attempts=true"));
            if (type == PipelinedTransactionManager.class) {
                properties.add(PipelinedCommitContractTest.PIPELINED);
            }
            if (this == DATA_SOURCE || this == PIPELINED_WITHOUT_TRANSLATION) {
                properties.add("spring.persistence.exceptiontranslation.enabled=false");
                properties.add("spring.dao.exceptiontranslation.enabled=false");
            }
            return properties.toArray(String[]::new);
        }
    }

    @ParameterizedTest
    @EnumSource
    void anExceptionAfterTheCommitReachesTheCallerOfACallThatStaysExecuted(Manager manager) {
        ContractApplication application = applications.get(manager);
        Settlement settlement = application.bean(Settlement.class);

        assertThatThrownBy(() -> settlement.payAndFailAfterCommit("key")).isInstanceOf(NotNotified.class);

        assertThat(application.effects()).isEqualTo(1);
        assertThat(application.outcomes().retries()).isEmpty();
        assertThat(application.outcomes().all()).containsExactly(Outcome.EXECUTED);

        assertThat(settlement.payAndFailAfterCommit("key")).isEqualTo("paid in execution 1");
        assertThat(application.effects()).isEqualTo(1);
        assertThat(application.outcomes().all()).containsExactly(Outcome.EXECUTED, Outcome.REPLAYED);
    }

    @ParameterizedTest
    @EnumSource
    void aCommitThatTheServerRefusesIsNotRepeated(Manager manager) {
        ContractApplication application = applications.get(manager);
        Settlement settlement = application.bean(Settlement.class);

        assertThatThrownBy(() -> settlement.payForTheSameSeatTwice("key")).isInstanceOf(manager.violation);

        assertThat(settlement.executions()).isEqualTo(1);
        assertThat(application.effects()).isZero();
        assertThat(application.outcomes().retries()).isEmpty();
        assertThat(application.outcomes().all()).containsExactly(Outcome.FAILED);
        assertThat(statuses(application)).containsExactly("failed_retryable");
    }

    @ParameterizedTest
    @EnumSource
    void aCommitThatTheServerRefusesCanBeAFinalFailure(Manager manager) {
        ContractApplication application = applications.get(manager);
        Settlement settlement = application.bean(Settlement.class);

        assertThatThrownBy(() -> settlement.payForTheSameSeatTwiceForGood("key"))
                .isInstanceOf(manager.violation);

        assertThatThrownBy(() -> settlement.payForTheSameSeatTwiceForGood("key"))
                .isInstanceOf(RecordedFailureException.class);
        assertThat(settlement.executions()).isEqualTo(1);
        assertThat(application.effects()).isZero();
        assertThat(application.outcomes().all()).containsExactly(Outcome.FAILED_FINAL, Outcome.FAILURE_REPLAYED);
    }

    @ParameterizedTest
    @EnumSource
    void aCommitWithoutAnAnswerIsNotRecordedAsAFailure(Manager manager) {
        ContractApplication application = applications.get(manager);
        Settlement settlement = application.bean(Settlement.class);

        assertThatThrownBy(() -> settlement.payAndLoseTheConnectionInCommit("key", application.database()))
                .isInstanceOfAny(TransactionSystemException.class, DataAccessResourceFailureException.class);

        assertThat(settlement.executions()).isEqualTo(1);
        assertThat(statuses(application)).isEmpty();
        assertThat(application.outcomes().all()).containsExactly(Outcome.FAILED);
    }

    @ParameterizedTest
    @EnumSource
    void aRollbackThatFailsDoesNotHideWhyItWasRolledBack(Manager manager) {
        ContractApplication application = applications.get(manager);
        Settlement settlement = application.bean(Settlement.class);

        assertThatThrownBy(() -> settlement.payAndLoseTheConnection("key", application.database()))
                .isInstanceOf(NoFunds.class)
                .satisfies(thrown -> assertThat(thrown.getSuppressed()).isNotEmpty());

        assertThat(settlement.executions()).isEqualTo(1);
        assertThat(application.effects()).isZero();
        assertThat(application.outcomes().retries()).isEmpty();
        assertThat(application.outcomes().all()).containsExactly(Outcome.FAILED_FINAL);
        assertThatThrownBy(() -> settlement.payAndLoseTheConnection("key", application.database()))
                .isInstanceOf(RecordedFailureException.class);
    }

    /**
     * With an exception by which Spring tells of a COMMIT as well. A thread that may hold a connection asks for the response inside
     * of its transaction.
     */
    @ParameterizedTest
    @EnumSource
    void whatRefusesTheCommitOfARepeatReachesItsCaller(Manager manager) {
        ContractApplication application = applications.get(manager);
        Settlement settlement = application.bean(Settlement.class);
        settlement.pay("key");

        CommitRefusal refusal = new CommitRefusal();
        ((ConfigurableTransactionManager) application.bean(PlatformTransactionManager.class)).addListener(refusal);

        TransactionSynchronizationManager.bindResource(refusal, "a connection, perhaps");
        try {
            assertThatThrownBy(() -> settlement.pay("key")).hasMessage("refused");
        } finally {
            TransactionSynchronizationManager.unbindResource(refusal);
        }
        assertThat(application.outcomes().retries()).isEmpty();
        assertThat(application.outcomes().all()).containsExactly(Outcome.EXECUTED, Outcome.FAILED);
        assertThat(settlement.pay("key")).isEqualTo("paid in execution 1");
    }

    private static List<String> statuses(ContractApplication application) {
        return application
                .database()
                .jdbc()
                .queryForList("select status from idempotency.idempotency_request", String.class);
    }

    static class NoFunds extends Exception {

        private static final long serialVersionUID = 1L;
    }

    /** Looks like a failure that a repeat would mend. */
    static class NotNotified extends RuntimeException {

        private static final long serialVersionUID = 1L;

        NotNotified() {
            super(new SQLException("another database is busy", "40001"));
        }
    }

    /** Refuses one. */
    static class CommitRefusal implements TransactionExecutionListener {

        private final AtomicBoolean refuses = new AtomicBoolean(true);

        @Override
        public void beforeCommit(TransactionExecution transaction) {
            if (refuses.getAndSet(false)) {
                throw new TransactionSystemException("refused");
            }
        }
    }

    static class Settlement {

        private final JdbcTemplate jdbc;

        private final AtomicInteger executions = new AtomicInteger();

        Settlement(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        int executions() {
            return executions.get();
        }

        void reset() {
            executions.set(0);
        }

        @Transactional
        @Idempotent(scope = "late", key = "#key", finalFailures = NotNotified.class)
        public String payAndFailAfterCommit(String key) {
            pay();
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    throw new NotNotified();
                }
            });
            return "paid in execution " + executions();
        }

        @Transactional
        @Idempotent(scope = "settlements", key = "#key")
        public String pay(String key) {
            pay();
            return "paid in execution " + executions();
        }

        @Transactional
        @Idempotent(scope = "seat", key = "#key")
        public void payForTheSameSeatTwice(String key) {
            pay();
            jdbc.update("insert into seat values (1), (1)");
        }

        @Transactional
        @Idempotent(
                scope = "seat-for-good",
                key = "#key",
                finalFailures = {DataIntegrityViolationException.class, TransactionSystemException.class})
        public void payForTheSameSeatTwiceForGood(String key) {
            pay();
            jdbc.update("insert into seat values (1), (1)");
        }

        @Transactional
        @Idempotent(scope = "lost", key = "#key", fingerprint = "'same'", finalFailures = NoFunds.class)
        public String payAndLoseTheConnection(String key, TestDatabase database) throws NoFunds {
            pay();
            database.backends().terminate(jdbc.queryForObject("select pg_backend_pid()", Integer.class));
            throw new NoFunds();
        }

        @Transactional
        @Idempotent(
                scope = "lost-in-commit",
                key = "#key",
                fingerprint = "'same'",
                maxAttempts = 1,
                finalFailures = RuntimeException.class)
        public void payAndLoseTheConnectionInCommit(String key, TestDatabase database) {
            pay();
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void beforeCommit(boolean readOnly) {
                    database.backends().terminate(jdbc.queryForObject("select pg_backend_pid()", Integer.class));
                }
            });
        }

        private void pay() {
            executions.incrementAndGet();
            jdbc.update("insert into payment (id, account, cents) values (gen_random_uuid(), 'a1', 5)");
        }
    }
}
