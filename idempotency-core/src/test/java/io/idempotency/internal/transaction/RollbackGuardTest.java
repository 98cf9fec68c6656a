package io.idempotency.internal.transaction;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionTimedOutException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.TransactionFailedException;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** What a method has written that catches the exception of a part of its transaction. */
@PostgresTest
class RollbackGuardTest {

    private final JdbcTransactionManager manager;

    private final JdbcTemplate jdbc;

    private final TransactionTemplate transaction;

    private final JoinedTransactions transactions;

    RollbackGuardTest(TestDatabase database) {
        this.manager = new JdbcTransactionManager(database.dataSource());
        ActiveTransaction.track(manager);
        this.jdbc = new JdbcTemplate(database.dataSource());
        this.transaction = new TransactionTemplate(manager);
        this.transactions = new JoinedTransactions(database.dataSource(), manager);
    }

    @BeforeAll
    static void createTable(TestDatabase database) {
        database.jdbc().execute("create table effect (what text)");
    }

    @BeforeEach
    void clear() {
        jdbc.execute("truncate effect");
    }

    /** No statement has failed, so that PostgreSQL would commit. */
    @Test
    void isRolledBackAlsoWhereNoStatementHasFailed() {
        assertThatExceptionOfType(TransactionFailedException.class)
                .isThrownBy(() -> transaction.executeWithoutResult(status -> {
                    write("before");
                    refuse();
                    write("afterwards");
                }))
                .withMessageContaining("The transaction was rolled back")
                .withCauseInstanceOf(CannotAcquireLockException.class);

        assertThat(effects()).isZero();
    }

    @Test
    void isRolledBackWhereAStatementHasFailed() {
        assertThatExceptionOfType(TransactionFailedException.class)
                .isThrownBy(() -> transaction.executeWithoutResult(status -> {
                    write("before");
                    assertThatExceptionOfType(RuntimeException.class)
                            .isThrownBy(() -> transactions.onOpenConnection(connection -> jdbc.update("select 1/0")));
                }));

        assertThat(effects()).isZero();
    }

    @Test
    void isSavedByASavepointThatTakesTheFailureBack() {
        transaction.executeWithoutResult(status -> {
            write("before");
            Object savepoint = status.createSavepoint();
            refuse();
            status.rollbackToSavepoint(savepoint);
        });

        assertThat(effects()).isOne();
    }

    /** Callbacks that are registered by then are not asked any more whether it may be committed. */
    @ParameterizedTest
    @EnumSource
    void isRolledBackAlsoWhereACallbackSwallowsTheFailure(Callback callback) {
        assertThatExceptionOfType(TransactionFailedException.class)
                .isThrownBy(() -> transaction.executeWithoutResult(status -> {
                    write("before");
                    callback.register(this::refuse);
                }))
                .withMessageContaining("The transaction was rolled back")
                .withCauseInstanceOf(CannotAcquireLockException.class);

        assertThat(effects()).isZero();
    }

    /** Spring takes it for the answer to a COMMIT that it has not sent. */
    @Test
    void isRolledBackAlsoWhereAnExceptionOfSpringsOwnLeavesACallback() {
        assertThatExceptionOfType(TransactionTimedOutException.class)
                .isThrownBy(() -> transaction.executeWithoutResult(status -> {
                    write("before");
                    Callback.BEFORE_COMMIT.register(() -> transactions.onOpenConnection(connection -> {
                        throw new TransactionTimedOutException("too late");
                    }));
                }));

        assertThat(effects()).isZero();
    }

    @Test
    void isSavedByASavepointOfTheCallback() {
        transaction.executeWithoutResult(status -> {
            write("before");
            Callback.BEFORE_COMMIT.register(() -> {
                Object savepoint = status.createSavepoint();
                refuse();
                status.rollbackToSavepoint(savepoint);
            });
        });

        assertThat(effects()).isOne();
    }

    /** Which commits nothing, and whose caller may go back behind it. */
    @Test
    void isNotRefusedAtTheEndOfANestedTransaction() {
        TransactionTemplate nested = new TransactionTemplate(manager);
        nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);

        transaction.executeWithoutResult(status -> {
            write("before");
            Object savepoint = status.createSavepoint();
            nested.executeWithoutResult(inner -> refuse());
            status.rollbackToSavepoint(savepoint);
        });

        assertThat(effects()).isOne();
    }

    /** Of the transaction, while it may still be written to. */
    private enum Callback {
        BEFORE_COMMIT {
            @Override
            TransactionSynchronization with(Runnable work) {
                return new TransactionSynchronization() {
                    @Override
                    public void beforeCommit(boolean readOnly) {
                        work.run();
                    }
                };
            }
        },

        BEFORE_COMPLETION {
            @Override
            TransactionSynchronization with(Runnable work) {
                return new TransactionSynchronization() {
                    @Override
                    public void beforeCompletion() {
                        work.run();
                    }
                };
            }
        };

        abstract TransactionSynchronization with(Runnable work);

        void register(Runnable work) {
            TransactionSynchronizationManager.registerSynchronization(with(work));
        }
    }

    private void refuse() {
        assertThatExceptionOfType(CannotAcquireLockException.class)
                .isThrownBy(() -> transactions.onOpenConnection(connection -> {
                    throw new CannotAcquireLockException("refused without a statement");
                }));
    }

    private void write(String effect) {
        jdbc.update("insert into effect values (?)", effect);
    }

    private int effects() {
        return jdbc.queryForObject("select count(*) from effect", Integer.class);
    }
}
