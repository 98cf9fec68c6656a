package io.idempotency.boot.contract;

import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.idempotency.Idempotent;
import io.idempotency.Outcome;
import io.idempotency.RecordedFailureException;
import io.idempotency.boot.testing.Callbacks;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What fails when the method is done: after the COMMIT, in it, and in the rollback. */
@ContractTest
class AfterCommitTest {

    private final Map<TransactionKind, ContractApplication> applications;

    AfterCommitTest(ContractApplications applications) {
        applications.database().jdbc().execute("create table seat (number int unique deferrable initially deferred)");
        this.applications = TransactionKind.startEach(
                List.of(TransactionKind.values()),
                applications,
                Settlement.class,
                "idempotency.record-failed-attempts=true");
    }

    @AfterEach
    void clear() {
        applications
                .values()
                .forEach(application -> application.bean(Settlement.class).reset());
    }

    @ParameterizedTest
    @EnumSource
    void anExceptionAfterTheCommitReachesTheCallerOfACallThatStaysExecuted(TransactionKind kind) {
        ContractApplication application = applications.get(kind);
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
    void aCommitThatTheServerRefusesIsNotRepeated(TransactionKind kind) {
        ContractApplication application = applications.get(kind);
        Settlement settlement = application.bean(Settlement.class);

        assertThatThrownBy(() -> settlement.payForTheSameSeatTwice("key")).isInstanceOf(violation(kind));

        assertThat(settlement.executions()).isEqualTo(1);
        assertThat(application.effects()).isZero();
        assertThat(application.outcomes().retries()).isEmpty();
        assertThat(application.outcomes().all()).containsExactly(Outcome.FAILED);
        assertThat(statuses(application)).containsExactly("failed_retryable");
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "DATA_SOURCE")
    void aCommitThatTheServerRefusesCanBeAFinalFailure(TransactionKind kind) {
        ContractApplication application = applications.get(kind);
        Settlement settlement = application.bean(Settlement.class);

        assertThatThrownBy(() -> settlement.payForTheSameSeatTwiceForGood("key"))
                .isInstanceOf(violation(kind));

        assertThatThrownBy(() -> settlement.payForTheSameSeatTwiceForGood("key"))
                .isInstanceOf(RecordedFailureException.class);
        assertThat(settlement.executions()).isEqualTo(1);
        assertThat(application.effects()).isZero();
        assertThat(application.outcomes().all()).containsExactly(Outcome.FAILED_FINAL, Outcome.FAILURE_REPLAYED);
    }

    @ParameterizedTest
    @EnumSource
    void aCommitWithoutAnAnswerIsNotRecordedAsAFailure(TransactionKind kind) {
        ContractApplication application = applications.get(kind);
        Settlement settlement = application.bean(Settlement.class);

        assertThatThrownBy(() -> settlement.payAndLoseTheConnectionInCommit("key", application.database()))
                .isInstanceOfAny(TransactionSystemException.class, DataAccessResourceFailureException.class);

        assertThat(settlement.executions()).isEqualTo(1);
        assertThat(statuses(application)).isEmpty();
        assertThat(application.outcomes().all()).containsExactly(Outcome.FAILED);
    }

    @ParameterizedTest
    @EnumSource
    void aRollbackThatFailsDoesNotHideWhyItWasRolledBack(TransactionKind kind) {
        ContractApplication application = applications.get(kind);
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
    void whatRefusesTheCommitOfARepeatReachesItsCaller(TransactionKind kind) {
        ContractApplication application = applications.get(kind);
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

    /** That of a COMMIT, which only some managers translate. */
    private static Class<? extends Exception> violation(TransactionKind kind) {
        return switch (kind) {
            case DATA_SOURCE -> TransactionSystemException.class;
            case JDBC -> DuplicateKeyException.class;
            case JPA -> DataIntegrityViolationException.class;
        };
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

    static class Settlement extends PayingBean {

        @Transactional
        @Idempotent(scope = "late", key = "#key", finalFailures = NotNotified.class)
        public String payAndFailAfterCommit(String key) {
            makeEffect();
            Callbacks.afterCommit(() -> {
                throw new NotNotified();
            });
            return "paid in execution " + executions();
        }

        @Transactional
        @Idempotent(scope = "settlements", key = "#key")
        public String pay(String key) {
            makeEffect();
            return "paid in execution " + executions();
        }

        @Transactional
        @Idempotent(scope = "seat", key = "#key")
        public void payForTheSameSeatTwice(String key) {
            makeEffect();
            jdbc.update("insert into seat values (1), (1)");
        }

        @Transactional
        @Idempotent(scope = "seat-for-good", key = "#key", finalFailures = DataIntegrityViolationException.class)
        public void payForTheSameSeatTwiceForGood(String key) {
            makeEffect();
            jdbc.update("insert into seat values (1), (1)");
        }

        @Transactional
        @Idempotent(scope = "lost", key = "#key", fingerprint = "'same'", finalFailures = NoFunds.class)
        public String payAndLoseTheConnection(String key, TestDatabase database) throws NoFunds {
            makeEffect();
            database.backends().terminate(jdbc.queryForObject("select pg_backend_pid()", Integer.class));
            throw new NoFunds();
        }

        @Transactional
        @Idempotent(scope = "lost-in-commit", key = "#key", fingerprint = "'same'", maxAttempts = 1)
        public void payAndLoseTheConnectionInCommit(String key, TestDatabase database) {
            makeEffect();
            Callbacks.beforeCommit(
                    () -> database.backends().terminate(jdbc.queryForObject("select pg_backend_pid()", Integer.class)));
        }
    }
}
