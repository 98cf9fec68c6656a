package io.idempotency.internal.transaction;

import java.sql.SQLException;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.transaction.TransactionSystemException;

import static org.assertj.core.api.Assertions.assertThat;

/** What became of a transaction whose COMMIT threw. */
class CommitResultTest {

    @ParameterizedTest
    @CsvSource(useHeadersInDisplayName = true, delimiter = '|', textBlock = """
            end         | failed inside | SQLSTATE | in doubt | rolled back
            NONE        | no            |          | no       | no
            NONE        | no            | 08006    | no       | no
            NONE        | yes           | 08006    | no       | yes
            COMMITTED   | no            |          | no       | no
            COMMITTED   | no            | 08006    | no       | no
            ROLLED_BACK | no            |          | no       | yes
            ROLLED_BACK | no            | 23505    | no       | yes
            ROLLED_BACK | no            | 40001    | no       | yes
            ROLLED_BACK | no            | 08006    | yes      | no
            ROLLED_BACK | no            | 57P01    | yes      | no
            ROLLED_BACK | yes           | 08006    | no       | yes
            UNKNOWN     | no            |          | yes      | no
            UNKNOWN     | no            | 08006    | yes      | no
            UNKNOWN     | no            | 08007    | yes      | no
            UNKNOWN     | no            | 57P01    | yes      | no
            UNKNOWN     | no            | 57P02    | yes      | no
            UNKNOWN     | no            | 23505    | no       | yes
            UNKNOWN     | no            | 40001    | no       | yes
            UNKNOWN     | yes           |          | no       | yes
            UNKNOWN     | yes           | 08006    | no       | yes
            """)
    void aCommitThatThrewIs(
            CommitResult.End end, String failedInside, @Nullable String sqlState, String inDoubt, String rolledBack) {
        Throwable thrown = new TransactionSystemException("failed", new SQLException("failed", sqlState));
        CommitResult result = new CommitResult(
                end, failedInside.equals("yes") ? new IllegalStateException("in the method") : null, null);

        assertThat(result.isInDoubt(thrown)).isEqualTo(inDoubt.equals("yes"));
        assertThat(result.isRolledBack(thrown)).isEqualTo(rolledBack.equals("yes"));
    }
}
