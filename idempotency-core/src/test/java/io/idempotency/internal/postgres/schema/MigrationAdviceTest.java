package io.idempotency.internal.postgres.schema;

import java.sql.SQLException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** What the report of a failed migration advises. */
class MigrationAdviceTest {

    private static final String ROLE = "Name another role";

    @ParameterizedTest
    @CsvSource(
            nullValues = "none",
            value = {
                "42501, Name another role",
                "57014, A limit has ended it", // statement_timeout
                "55P03, Start again when no long transaction uses the tables", // lock_timeout
                "25P04, raise the limit", // transaction_timeout
                "25P03, raise the limit", // idle_in_transaction_session_timeout
                "42P07, 'Correct that, and start again'", // a table exists
                "53100, 'Correct that, and start again'", // disk full
                "none, It does not come from PostgreSQL" // Druid's WallFilter
            })
    void namesAnotherRoleOnlyIfAPrivilegeWasMissing(String sqlState, String advice) {
        RuntimeException failure = new IllegalStateException("migration", new SQLException("refused", sqlState));

        assertThat(MigrationAdvice.after(failure, ROLE)).contains(advice);
        if (!"42501".equals(sqlState)) {
            assertThat(MigrationAdvice.after(failure, ROLE)).doesNotContain(ROLE);
        }
    }

    @Test
    void namesAnotherRoleIfThePrivilegeWasFoundMissingBefore() {
        assertThat(MigrationAdvice.after(new IllegalStateException("permission denied for schema"), ROLE))
                .isEqualTo("Name another role, or set");
    }
}
