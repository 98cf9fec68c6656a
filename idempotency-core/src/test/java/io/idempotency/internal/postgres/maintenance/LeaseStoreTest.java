package io.idempotency.internal.postgres.maintenance;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.Completion;
import io.idempotency.internal.claim.Fence;
import io.idempotency.internal.claim.LeaseStore;
import io.idempotency.internal.claim.LeaseStore.Renewal;
import io.idempotency.internal.claim.LeaseStore.Result;
import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.internal.postgres.Requests;
import io.idempotency.internal.postgres.Session;
import io.idempotency.internal.transaction.TransactionState;
import io.idempotency.test.NotOnCitus;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.RoundTripCounter;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** The statement that renews all leases of an instance. */
@Tag("citus")
@PostgresTest
class LeaseStoreTest {

    private static final Duration BOUND = Duration.ofSeconds(10);

    private static final Duration HOUR = Duration.ofHours(1);

    private static final int QUESTION_FOR_CITUS = 2;

    private final TestDatabase database;

    private final JdbcTemplate admin;

    private final LeaseStore leases;

    private final Session session;

    LeaseStoreTest(TestDatabase database) throws SQLException {
        this.database = database;
        this.admin = database.jdbc();
        this.leases = MigratedTables.storage(database.dataSource(), MigratedTables.SCHEMA)
                .leaseStore();
        this.session = new Session(database);
    }

    @BeforeAll
    static void migrate(TestDatabase database) {
        MigratedTables.in(database);
    }

    @AfterEach
    void clear() throws SQLException {
        session.close();
        admin.execute("truncate idempotency.idempotency_request");
    }

    @Test
    void leasesAreRenewedAndTheirRowsKeptForAsMuchLonger() throws SQLException {
        Fence one = hold("one");
        Fence other = hold("other");
        Duration kept = keptAfterLease("one");

        assertThat(renew(one, other)).containsExactly(Result.RENEWED, Result.RENEWED);

        assertThat(lockedUntil("one")).isAfter(Instant.now().plus(Duration.ofMinutes(50)));
        assertThat(lockedUntil("other")).isAfter(Instant.now().plus(Duration.ofMinutes(50)));
        assertThat(keptAfterLease("one")).isEqualTo(kept);
    }

    @Test
    void aLeaseIsNotShortened() throws SQLException {
        Fence fence = hold("key");
        renew(fence);
        Instant end = lockedUntil("key");

        assertThat(leases.renew(session.connection(), List.of(new Renewal(fence, Duration.ofSeconds(1))), BOUND))
                .containsExactly(Result.RENEWED);

        assertThat(lockedUntil("key")).isEqualTo(end);
    }

    @Test
    void aLeaseThatHasExpiredIsRenewedIfNobodyHasTakenItOver() throws SQLException {
        Fence fence = hold("key");
        alter("key", "locked_until = statement_timestamp() - interval '1 minute'");

        assertThat(renew(fence)).containsExactly(Result.RENEWED);

        assertThat(lockedUntil("key")).isAfter(Instant.now());
    }

    @Test
    void aFormerHolderRenewsNothing() throws SQLException {
        Fence first = hold("taken-over");
        alter("taken-over", "attempt_count = 2, claim_token = '" + UUID.randomUUID() + "'");
        Fence second = hold("released");
        alter("released", "claim_token = null, locked_until = null, status = 'failed_retryable'");
        Fence third = hold("forgotten");
        admin.update("delete from idempotency.idempotency_request where idempotency_key = 'forgotten'");
        Instant end = lockedUntil("taken-over");

        assertThat(renew(first, second, third)).containsExactly(Result.LOST, Result.LOST, Result.LOST);

        assertThat(lockedUntil("taken-over")).isEqualTo(end);
        assertThat(lockedUntil("released")).isNull();
    }

    @Test
    void aCallThatHasEndedIsNotLostAndNotRenewed() throws SQLException {
        Fence succeeded = hold("succeeded");
        session.complete(new Completion(succeeded, "1", null, null));
        session.commit();
        Fence abandoned = hold("abandoned");
        alter("abandoned", "locked_until = null");

        assertThat(renew(succeeded, abandoned)).containsExactly(Result.UNCHANGED, Result.UNCHANGED);

        assertThat(lockedUntil("succeeded")).isNull();
        assertThat(lockedUntil("abandoned")).isNull();
    }

    @Test
    void aRowThatIsLockedDelaysNoOther() throws SQLException {
        Fence locked = hold("locked");
        Fence free = hold("free");
        Instant end = lockedUntil("locked");
        try (Session other = new Session(database)) {
            other.query("select 1 from idempotency.idempotency_request where request_id = '" + locked.requestId()
                    + "' and caller = '' for update");

            assertThat(renew(locked, free)).containsExactly(Result.UNCHANGED, Result.RENEWED);

            other.rollback();
        }
        assertThat(lockedUntil("locked")).isEqualTo(end);
        assertThat(lockedUntil("free")).isAfter(Instant.now().plus(Duration.ofMinutes(50)));
        assertThat(renew(locked)).containsExactly(Result.RENEWED);
    }

    /** An instance that stands still then locks nothing. */
    @Test
    void theTransactionHasEndedWithTheStatement() throws SQLException {
        Fence fence = hold("key");

        renew(fence);

        assertThat(session.state()).isEqualTo(TransactionState.ENDED);
    }

    @NotOnCitus
    @Test
    void aThousandAreOneStatement() throws Exception {
        List<Fence> fences = new ArrayList<>();
        for (int i : IntStream.range(0, 1_000).toArray()) {
            fences.add(hold("key-" + i));
        }
        admin.execute("analyze idempotency.idempotency_request");
        try (RoundTripCounter counter = RoundTripCounter.of(database);
                Connection connection = counter.connection()) {
            connection.setAutoCommit(false);
            List<Result> results = new ArrayList<>();

            assertThat(counter.count(() -> results.addAll(leases.renew(
                            connection,
                            fences.stream()
                                    .map(fence -> new Renewal(fence, HOUR))
                                    .toList(),
                            BOUND))))
                    .isEqualTo(QUESTION_FOR_CITUS + 1L);

            assertThat(results).hasSize(1_000).containsOnly(Result.RENEWED);
        }
        assertThat(admin.queryForObject(
                        "select count(*) from idempotency.idempotency_request"
                                + " where locked_until > now() + interval '50 minutes'",
                        Integer.class))
                .isEqualTo(1_000);
    }

    private Fence hold(String key) throws SQLException {
        ClaimRequest request = Requests.leased(key);
        session.claimGranted(request).commit();
        return request.fence(1);
    }

    private List<Result> renew(Fence... fences) {
        return leases.renew(
                session.connection(),
                List.of(fences).stream().map(fence -> new Renewal(fence, HOUR)).toList(),
                BOUND);
    }

    private void alter(String key, String assignments) {
        admin.update("update idempotency.idempotency_request set " + assignments + " where idempotency_key = ?", key);
    }

    private Instant lockedUntil(String key) {
        return admin.queryForObject(
                "select locked_until from idempotency.idempotency_request where idempotency_key = ?",
                (row, number) ->
                        row.getTimestamp(1) == null ? null : row.getTimestamp(1).toInstant(),
                key);
    }

    private Duration keptAfterLease(String key) {
        return admin.queryForObject(
                "select extract(epoch from expires_at - locked_until) from idempotency.idempotency_request"
                        + " where idempotency_key = ?",
                (row, number) -> Duration.ofSeconds(Math.round(row.getDouble(1))),
                key);
    }
}
