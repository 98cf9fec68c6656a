package io.idempotency.internal.transaction;

import javax.sql.DataSource;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.TransactionFailedException;
import io.idempotency.TransactionMismatchException;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A statement that failed and was swallowed, in a transaction whose manager reports nothing, beside one whose manager does. */
@PostgresTest
class CommitGuardTest {

    private final JdbcTransactionManager reporting;

    private final DataSource dataSource;

    private final JdbcTemplate jdbc;

    private final JoinedTransactions transactions;

    CommitGuardTest(TestDatabase database) {
        this.dataSource = database.dataSource();
        this.reporting = new JdbcTransactionManager(dataSource);
        ActiveTransaction.track(reporting);
        this.jdbc = new JdbcTemplate(dataSource);
        this.transactions = new JoinedTransactions(dataSource, reporting);
    }

    @BeforeAll
    static void createTable(TestDatabase database) {
        database.jdbc().execute("create table message (what text)");
    }

    @BeforeEach
    void clear() {
        jdbc.execute("truncate message");
    }

    /** Where the transaction without a listener is begun. */
    enum Place {
        OUTSIDE,
        IN_A_TRANSACTION,
        BEFORE_A_COMMIT,
        AFTER_A_COMMIT;

        void run(TransactionTemplate outer, Runnable work) {
            switch (this) {
                case OUTSIDE -> work.run();
                case IN_A_TRANSACTION -> outer.executeWithoutResult(status -> work.run());
                case BEFORE_A_COMMIT ->
                    outer.executeWithoutResult(status ->
                            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                                @Override
                                public void beforeCommit(boolean readOnly) {
                                    work.run();
                                }
                            }));
                case AFTER_A_COMMIT ->
                    outer.executeWithoutResult(status ->
                            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                                @Override
                                public void afterCommit() {
                                    work.run();
                                }
                            }));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void failsATransactionOfAManagerThatReportsNothing(Place place) {
        assertThatExceptionOfType(TransactionFailedException.class)
                .isThrownBy(() -> place.run(
                        outer(),
                        () -> handMade().executeWithoutResult(status -> {
                            publish();
                            swallow();
                        })))
                .withMessageContaining("a failed SQL statement was swallowed");

        assertThat(messages()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void letsATransactionOfAManagerThatReportsNothingCommit(Place place) {
        place.run(outer(), () -> handMade().executeWithoutResult(status -> publish()));

        assertThat(messages()).isOne();
    }

    /** Its failure is that of the outer one, whose own statements are as they were. */
    @Test
    void failsTheOuterTransactionForItsOwnStatementsOnly() {
        assertThatThrownBy(() -> outer().executeWithoutResult(outer -> {
                    publish();
                    handMade().executeWithoutResult(status -> publish());
                    swallow();
                }))
                .isInstanceOf(TransactionFailedException.class);

        assertThat(messages()).isOne();
    }

    @Test
    void afterTheCommitNothingIsPublishedInTheSameTransaction() {
        assertThatExceptionOfType(TransactionMismatchException.class)
                .isThrownBy(() -> Place.AFTER_A_COMMIT.run(outer(), this::publish))
                .withMessageContaining("has been committed already");
    }

    private TransactionTemplate outer() {
        return new TransactionTemplate(reporting);
    }

    private TransactionTemplate handMade() {
        TransactionTemplate template = new TransactionTemplate(new JdbcTransactionManager(dataSource));
        template.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        return template;
    }

    private void publish() {
        transactions.onOpenConnection(connection -> jdbc.update("insert into message values ('published')"));
    }

    private void swallow() {
        assertThatExceptionOfType(DataAccessException.class).isThrownBy(() -> jdbc.execute("select 1/0"));
    }

    private int messages() {
        return new JdbcTemplate(new DelegatingDataSource(dataSource))
                .queryForObject("select count(*) from message", Integer.class);
    }
}
