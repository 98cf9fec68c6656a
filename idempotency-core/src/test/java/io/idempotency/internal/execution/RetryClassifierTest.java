package io.idempotency.internal.execution;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.TransactionSystemException;

import io.idempotency.IdempotencyKey;
import io.idempotency.Intent;
import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.ClaimResult;
import io.idempotency.internal.claim.Completion;
import io.idempotency.internal.claim.KeyClaimer;
import io.idempotency.internal.codec.Fingerprint;
import io.idempotency.internal.operation.CallOptions;
import io.idempotency.internal.transaction.CommitResult;

import static org.assertj.core.api.Assertions.assertThat;

/** Which failures allow another attempt, for each phase of an attempt and each SQLSTATE that matters. */
class RetryClassifierTest {

    /**
     * The columns: BEGIN failed; the claim or the method failed; COMMIT failed, where Spring does not know the end; COMMIT failed
     * with a manager that reports a rollback, as those of JPA do; a callback after the COMMIT failed; a call in the caller's
     * transaction failed.
     */
    @ParameterizedTest
    @CsvSource(useHeadersInDisplayName = true, delimiter = '|', textBlock = """
            SQLSTATE | BEGIN | METHOD | COMMIT | JPA_COMMIT | CALLBACK | JOINED
            40001    | yes   | yes    | yes    | yes        | no       | no
            40P01    | yes   | yes    | yes    | yes        | no       | no
            08000    | yes   | yes    | yes    | yes        | no       | no
            08001    | yes   | yes    | yes    | yes        | no       | no
            08006    | yes   | yes    | yes    | yes        | no       | no
            08P01    | yes   | yes    | yes    | yes        | no       | no
            57P01    | yes   | yes    | yes    | yes        | no       | no
            57P02    | yes   | yes    | yes    | yes        | no       | no
            57P03    | yes   | yes    | yes    | yes        | no       | no
            57014    | no    | no     | no     | no         | no       | no
            55P03    | no    | no     | no     | no         | no       | no
            53300    | no    | no     | no     | no         | no       | no
            25P02    | no    | no     | no     | no         | no       | no
            25006    | no    | no     | no     | no         | no       | no
            23505    | no    | no     | no     | no         | no       | no
                     | no    | no     | yes    | no         | no       | no
            """)
    void anAttemptIsRepeatedAfter(
            @Nullable String sqlState,
            String begin,
            String method,
            String commit,
            String jpaCommit,
            String callback,
            String joined) {
        Throwable failure = new TransactionSystemException("failed", new SQLException("failed", sqlState));

        assertRepeated(begin, failure, (execution, thrown) -> {});
        assertRepeated(method, failure, (execution, thrown) -> {
            execution.participates(true, null);
            execution.failedInside(thrown);
            execution.transactionEnded(CommitResult.End.ROLLED_BACK, false);
        });
        assertRepeated(commit, failure, (execution, thrown) -> {
            execution.participates(true, null);
            execution.transactionEnded(CommitResult.End.UNKNOWN, false);
        });
        assertRepeated(jpaCommit, failure, (execution, thrown) -> {
            execution.participates(true, null);
            execution.transactionEnded(CommitResult.End.ROLLED_BACK, false);
        });
        assertRepeated(callback, failure, (execution, thrown) -> {
            execution.participates(true, null);
            execution.transactionEnded(CommitResult.End.COMMITTED, true);
        });
        assertRepeated(joined, failure, (execution, thrown) -> {
            execution.participates(false, null);
            execution.failedInside(thrown);
        });
    }

    @Test
    void theFailureInsideDecidesAndNotTheOneThatReplacedIt() {
        CallExecution execution = execution();
        execution.participates(true, null);
        execution.failedInside(new SQLException("a constraint is violated", "23505"));
        execution.transactionEnded(CommitResult.End.UNKNOWN, false);

        assertThat(RetryClassifier.isRetryable(
                        execution, new TransactionSystemException("the rollback failed", lostConnection())))
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            40001 | yes
            40P01 | yes
            08006 | yes
            57P01 | yes
            23505 | no
            57014 | no
                  | yes
            """)
    void aTransactionOfTheLibraryIsRepeatedAfter(@Nullable String sqlState, String isRepeated) {
        assertThat(RetryClassifier.isRetryable(
                        new TransactionSystemException("failed", new SQLException("failed", sqlState))))
                .isEqualTo(isRepeated.equals("yes"));
    }

    @Test
    void onlyRequiredWorkIsRepeatedIfThePoolHasNoConnection() {
        SQLException exhausted = new SQLException("no connection is available");

        assertThat(RetryClassifier.isRetryable(new CannotGetJdbcConnectionException("pool", exhausted)))
                .isFalse();
        assertThat(RetryClassifier.isRetryableForRequiredWork(new CannotGetJdbcConnectionException("pool", exhausted)))
                .isTrue();
        assertThat(RetryClassifier.isRetryableForRequiredWork(new CannotCreateTransactionException("pool", exhausted)))
                .isTrue();
        assertThat(RetryClassifier.isRetryableForRequiredWork(new IllegalStateException("a bug")))
                .isFalse();
    }

    private static void assertRepeated(String expected, Throwable thrown, BiConsumer<CallExecution, Throwable> phase) {
        CallExecution execution = execution();
        phase.accept(execution, thrown);
        assertThat(RetryClassifier.isRetryable(execution, thrown)).isEqualTo(expected.equals("yes"));
    }

    private static SQLException lostConnection() {
        return new SQLException("the connection was lost", "08006");
    }

    private static CallExecution execution() {
        Intent intent = new Intent("payments", "", new IdempotencyKey("key"));
        IdempotentCall call = new IdempotentCall(
                UUID.randomUUID(),
                "database",
                intent,
                new Fingerprint(1, new byte[32]),
                CallOptions.DEFAULTS,
                void.class,
                null,
                false,
                new Unused(),
                null,
                null);
        CallExecution execution = new CallExecution(
                "method",
                call,
                new WaitBudget(Duration.ofSeconds(1)),
                () -> null,
                null,
                new Silent(),
                System.nanoTime());
        execution.beginAttempt();
        return execution;
    }

    /** Retries are decided without a claim. */
    private static final class Unused implements KeyClaimer {

        @Override
        public ClaimResult claim(Connection connection, ClaimRequest request) {
            throw new AssertionError();
        }

        @Override
        public boolean complete(Connection connection, Completion completion) {
            throw new AssertionError();
        }

        @Override
        public boolean recordFailure(Connection connection, FailureRecord record) {
            throw new AssertionError();
        }
    }

    private static final class Silent implements OutcomePublisher {

        @Override
        public void retried(IdempotentCall call, int attempts, Throwable failure) {}

        @Override
        public void returns(Ended call) {}

        @Override
        public void ended(Ended call) {}
    }
}
