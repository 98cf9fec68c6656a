package io.idempotency.internal.postgres.outbox;

import java.sql.SQLException;
import java.time.Duration;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import io.idempotency.internal.claim.ClaimStore;
import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.internal.postgres.Requests;
import io.idempotency.internal.postgres.Session;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** How a call is scheduled by its claim. */
@PostgresTest
class PostgresResumptionsTest {

    @BeforeAll
    static void migrate(TestDatabase database) {
        MigratedTables.in(database);
    }

    /** The steps are read after it. */
    @Test
    void aClaimThatIsScheduledKeepsTheTimeoutOfOtherStatements(TestDatabase database) throws SQLException {
        ClaimStore store = MigratedTables.storage(database.dataSource(), MigratedTables.SCHEMA)
                .claimStore("test-process", new PostgresResumptions(MigratedTables.SCHEMA));
        try (Session session = new Session(database.connection(), store)) {
            session.execute("set statement_timeout = '1h'").commit();

            session.claimGranted(Requests.resumable("order-42", Duration.ofMinutes(1)));

            assertThat(session.query("show statement_timeout")).isEqualTo("1h");
        }
    }
}
