package io.idempotency.boot.contract;

import java.sql.Connection;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.Outcome;
import io.idempotency.OutcomeUnknownException;
import io.idempotency.boot.contract.Callers.Call;
import io.idempotency.test.Backends;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** A COMMIT outlives its connection: the key is held by the transaction that is in doubt. */
@ContractTest
@Tag("race")
class HangingCommitTest {

    private static final PayCommand COMMAND = new PayCommand("a1", 5);

    private final TestDatabase database;

    private final ContractApplication application;

    HangingCommitTest(ContractApplications applications) {
        database = applications.database();
        application = applications
                .withQuietFailures()
                .start(
                        List.of(),
                        "spring.datasource.hikari.data-source-properties.socketTimeout=2",
                        "idempotency.retry.delay=5ms");
    }

    /** A deferred trigger keeps the server in COMMIT, where it does not notice that its client has gone. */
    @Test
    void aCommitThatTheServerHasNotEndedLeavesTheOutcomeUnknown() throws Exception {
        try (Connection holder = database.dataSource().getConnection();
                Callers callers = Callers.onPlatformThreads()) {
            JdbcTemplate admin = database.jdbc();
            admin.execute("create function wait_at_commit() returns trigger language plpgsql as $$ begin"
                    + " perform pg_advisory_xact_lock(4711); return null; end $$");
            admin.execute(
                    "create constraint trigger wait_at_commit after insert on payment deferrable initially deferred"
                            + " for each row execute function wait_at_commit()");
            holder.createStatement().execute("select pg_advisory_lock(4711)");
            int committing;
            try {
                Call<Receipt> paying =
                        callers.start(() -> application.payments().payOrFailFast("key", COMMAND));
                database.backends().awaitBlocked(1);
                committing = database.backends().activity().stream()
                        .filter(Backends.Backend::blocked)
                        .findFirst()
                        .orElseThrow()
                        .pid();

                assertThat(paying.failure())
                        .isInstanceOf(OutcomeUnknownException.class)
                        .hasMessageContaining("a transaction still holds its key, perhaps the one that commits");
                assertThat(application.effects()).isZero();
            } finally {
                holder.createStatement().execute("select pg_advisory_unlock(4711)");
            }
            database.backends().awaitGone(committing);
            admin.execute("drop trigger wait_at_commit on payment");

            assertThat(application.payments().payOrFailFast("key", COMMAND).account())
                    .isEqualTo(COMMAND.account());
            assertThat(application.effects()).isEqualTo(1);
            assertThat(application.outcomes().all()).containsExactly(Outcome.FAILED, Outcome.REPLAYED);
        }
    }
}
