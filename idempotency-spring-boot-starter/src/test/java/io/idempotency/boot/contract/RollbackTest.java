package io.idempotency.boot.contract;

import java.io.IOException;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.interceptor.TransactionInterceptor;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.IdempotencyOperations;
import io.idempotency.Idempotent;
import io.idempotency.Outcome;
import io.idempotency.TransactionFailedException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A call that fails leaves nothing, and a call that is acknowledged is durable. */
@ContractTest
class RollbackTest {

    private final ContractApplication application;

    private final Failing failing;

    RollbackTest(ContractApplications applications) {
        application = applications.start(List.of(Failing.class));
        failing = application.bean(Failing.class);
    }

    static List<Throwable> throwables() {
        return List.of(
                new IllegalStateException("thrown"), new IOException("thrown"), new StackOverflowError("thrown"));
    }

    @ParameterizedTest
    @MethodSource("throwables")
    void whateverLeavesTheMethodRollsBack(Throwable thrown) {
        assertThatThrownBy(() -> failing.payAndThrow("key", thrown)).isSameAs(thrown);

        assertNothingIsLeft();
    }

    @ParameterizedTest
    @MethodSource("throwables")
    void whateverLeavesTheMethodRollsBackWithoutTransactional(Throwable thrown) {
        assertThatThrownBy(() -> failing.payAndThrowWithoutTransactional("key", thrown))
                .isSameAs(thrown);

        assertNothingIsLeft();
    }

    @Test
    void aCheckedExceptionOfAProgrammaticCallRollsBackAndArrivesUnchanged() {
        IOException thrown = new IOException("thrown");

        assertThatThrownBy(() -> application
                        .bean(IdempotencyOperations.class)
                        .call("programmatic", "key", "payload")
                        .run(() -> {
                            failing.pay();
                            throw thrown;
                        }))
                .isSameAs(thrown);

        assertNothingIsLeft();
    }

    @Test
    void aSwallowedSqlErrorFailsTheCall() {
        assertThatThrownBy(() -> failing.paySwallowingSqlError("key"))
                .isInstanceOf(TransactionFailedException.class)
                .hasMessageContaining("failed SQL statement was swallowed");

        assertNothingIsLeft();
    }

    @Test
    void aSwallowedSqlErrorFailsAVoidCallToo() {
        assertThatThrownBy(() -> failing.paySwallowingSqlErrorWithoutAnswer("key"))
                .isInstanceOf(TransactionFailedException.class)
                .hasMessageContaining("failed SQL statement was swallowed");

        assertNothingIsLeft();
    }

    @Test
    void aSqlErrorBehindASavepointDoesNotFailTheCall() {
        assertThat(failing.payRecoveringFromSqlError("key")).isEqualTo("paid");

        assertThat(application.effects()).isEqualTo(1);
        assertThat(application.outcomes().all()).containsExactly(Outcome.EXECUTED);
    }

    @Test
    void aMethodThatSetsRollbackOnlyAndReturnsFails() {
        assertThatThrownBy(() -> failing.paySettingRollbackOnly("key"))
                .isInstanceOf(TransactionFailedException.class)
                .hasMessageContaining("rollback-only");

        assertNothingIsLeft();
    }

    @Test
    void aFailedCallInsideAnOuterTransactionDoomsIt() {
        TransactionTemplate outer = new TransactionTemplate(application.bean(PlatformTransactionManager.class));

        assertThatThrownBy(() -> outer.executeWithoutResult(status -> {
                    failing.pay();
                    assertThatThrownBy(() -> failing.payAndThrow("key", new IOException("thrown")))
                            .isInstanceOf(IOException.class);
                }))
                .isInstanceOf(UnexpectedRollbackException.class);

        assertNothingIsLeft();
    }

    @Test
    void anExecutedCallWhoseOuterTransactionRollsBackIsReportedAsFailedAndOnlyThen() {
        TransactionTemplate outer = new TransactionTemplate(application.bean(PlatformTransactionManager.class));

        outer.executeWithoutResult(status -> {
            application.payments().pay("key", new PayCommand("a1", 5));
            assertThat(application.outcomes().all()).isEmpty();
            status.setRollbackOnly();
        });

        assertNothingIsLeft();
    }

    @Test
    void anExceptionAfterTheCommitReachesTheCallerOfAnExecutedCall() {
        assertThatThrownBy(() -> failing.payAndThrowAfterCommit("key")).hasMessage("after the commit");

        assertThat(application.effects()).isEqualTo(1);
        assertThat(application.outcomes().all()).containsExactly(Outcome.EXECUTED);
        assertThat(failing.payAndThrowAfterCommit("key")).isEqualTo("paid");
    }

    @Test
    void aFailureOfTheCommitItselfLeavesNothing() {
        application
                .database()
                .jdbc()
                .execute("create table once (id int, constraint once_key unique (id) deferrable initially deferred)");

        assertThatThrownBy(() -> failing.payBreakingADeferredConstraint("key")).isInstanceOf(DataAccessException.class);

        assertNothingIsLeft();
    }

    private void assertNothingIsLeft() {
        assertThat(application.effects()).isZero();
        assertThat(application.requests()).isZero();
        assertThat(application.outcomes().all()).containsExactly(Outcome.FAILED);
    }

    static class Failing {

        private final JdbcTemplate jdbc;

        Failing(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        void pay() {
            jdbc.update("insert into payment (id, account, cents) values (gen_random_uuid(), 'a1', 5)");
        }

        private void failInSql() {
            try {
                jdbc.execute("select 1 / 0");
            } catch (DataAccessException swallowed) {
                assertThat(swallowed).hasMessageContaining("division by zero");
            }
        }

        @Transactional
        @Idempotent(scope = "throwing", key = "#key")
        public String payAndThrow(String key, Throwable thrown) throws Throwable {
            pay();
            throw thrown;
        }

        @Idempotent(scope = "throwing-without-transactional", key = "#key")
        public String payAndThrowWithoutTransactional(String key, Throwable thrown) throws Throwable {
            pay();
            throw thrown;
        }

        @Transactional
        @Idempotent(scope = "swallowing", key = "#key")
        public String paySwallowingSqlError(String key) {
            pay();
            failInSql();
            return "paid";
        }

        @Transactional
        @Idempotent(scope = "swallowing-void", key = "#key")
        public void paySwallowingSqlErrorWithoutAnswer(String key) {
            pay();
            failInSql();
        }

        @Transactional
        @Idempotent(scope = "savepoint", key = "#key")
        public String payRecoveringFromSqlError(String key) {
            pay();
            Object savepoint = TransactionInterceptor.currentTransactionStatus().createSavepoint();
            failInSql();
            TransactionInterceptor.currentTransactionStatus().rollbackToSavepoint(savepoint);
            return "paid";
        }

        @Transactional
        @Idempotent(scope = "rollback-only", key = "#key")
        public String paySettingRollbackOnly(String key) {
            pay();
            TransactionInterceptor.currentTransactionStatus().setRollbackOnly();
            return "paid";
        }

        @Transactional(propagation = Propagation.REQUIRED)
        @Idempotent(scope = "after-commit", key = "#key")
        public String payAndThrowAfterCommit(String key) {
            pay();
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    throw new IllegalStateException("after the commit");
                }
            });
            return "paid";
        }

        @Transactional
        @Idempotent(scope = "deferred", key = "#key")
        public String payBreakingADeferredConstraint(String key) {
            pay();
            jdbc.update("insert into once values (1), (1)");
            return "paid";
        }
    }
}
