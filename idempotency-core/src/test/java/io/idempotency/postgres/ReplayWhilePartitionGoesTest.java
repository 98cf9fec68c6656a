package io.idempotency.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.claim.Claim;
import io.idempotency.test.CallResult;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;
import io.idempotency.test.TestSize;

import static io.idempotency.postgres.Requests.request;
import static org.assertj.core.api.Assertions.assertThat;

/** Replays of keys whose responses are in a partition that is detached and dropped meanwhile. */
@PostgresTest
class ReplayWhilePartitionGoesTest {

    private static final int ROUNDS = TestSize.pick(6, 60);

    private static final int DAYS = ROUNDS + 10;

    private static final int KEYS = 20;

    private static final List<Integer> ISOLATIONS = List.of(
            Connection.TRANSACTION_READ_COMMITTED,
            Connection.TRANSACTION_REPEATABLE_READ,
            Connection.TRANSACTION_SERIALIZABLE);

    private final TestDatabase database;

    private final JdbcTemplate admin;

    ReplayWhilePartitionGoesTest(TestDatabase database) {
        this.database = ResponsesInTable.of(database);
        this.admin = database.jdbc();
    }

    @BeforeAll
    static void migrate(TestDatabase database) {
        MigratedTables.in(database);
        ResponsesInTable.partition(database.jdbc(), DAYS);
    }

    @Test
    @Tag("race")
    void givesTheResponseOrSaysThatItHasGone() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            LocalDate day = LocalDate.now(ZoneOffset.UTC).minusDays(round + 8);
            String prefix = "round-" + round + "-";
            store(prefix, day);
            AtomicBoolean gone = new AtomicBoolean();
            CountDownLatch replaying = new CountDownLatch(2 * ISOLATIONS.size());
            List<Callable<List<Claim>>> callers = new ArrayList<>();
            for (int isolation : ISOLATIONS) {
                callers.add(() -> replayUntil(gone, replaying, prefix, isolation));
                callers.add(() -> replayUntil(gone, replaying, prefix, isolation));
            }
            ConcurrentCalls<List<Claim>> replays = ConcurrentCalls.start(callers);
            assertThat(replaying.await(1, TimeUnit.MINUTES)).isTrue();

            drop(day);
            gone.set(true);

            assertThat(replays.await().requireAllSucceeded())
                    .allSatisfy(claims ->
                            assertThat(claims).containsOnly(new Claim.Succeeded("7"), new Claim.ResponseExpired()));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE})
    void saysSoToASnapshotOfBefore(int isolation) throws SQLException {
        LocalDate day =
                LocalDate.now(ZoneOffset.UTC).minusDays(isolation == Connection.TRANSACTION_SERIALIZABLE ? 3 : 4);
        String prefix = "snapshot-" + isolation + "-";
        store(prefix, day);
        try (Session session = new Session(database)) {
            session.connection().setTransactionIsolation(isolation);
            session.query("select count(*) from idempotency.idempotency_request");

            drop(day);

            assertThat(session.claim(request(prefix + 0))).isEqualTo(new Claim.ResponseExpired());
        }
    }

    @Test
    @Tag("race")
    void doesNotWaitForADetachThatWaitsForAnother() throws Exception {
        LocalDate day = LocalDate.now(ZoneOffset.UTC).minusDays(5);
        store("waiting-", day);
        try (Session slow = new Session(database);
                Session other = new Session(database)) {
            assertThat(slow.claim(request("waiting-0"))).isEqualTo(new Claim.Succeeded("7"));
            ConcurrentCalls<Void> dropping = ConcurrentCalls.start(1, () -> drop(day));
            database.backends().awaitBlocked(1);

            for (int key = 0; key < KEYS; key++) {
                assertThat(other.claim(request("waiting-" + key)))
                        .isIn(new Claim.Succeeded("7"), new Claim.ResponseExpired());
                other.commit();
            }
            slow.commit();

            dropping.await().requireAllSucceeded();
            assertThat(other.claim(request("waiting-0"))).isEqualTo(new Claim.ResponseExpired());
        }
    }

    @Test
    @Tag("race")
    void waitsForALockNoLongerThanASecond() throws Exception {
        LocalDate day = LocalDate.now(ZoneOffset.UTC).minusDays(6);
        store("locked-", day);
        try (Session locking = new Session(database);
                Session waiting = new Session(database)) {
            locking.execute("lock table idempotency.idempotency_response in access exclusive mode");
            CallResult<Claim> replay = ConcurrentCalls.<Claim>start(1, () -> waiting.claim(request("locked-0")))
                    .await()
                    .get(0);
            locking.rollback();

            assertThat(replay.value()).isInstanceOf(Claim.InProgress.class);
            assertThat(replay.took()).isBetween(Duration.ofMillis(500), Requests.PATIENT.dividedBy(2));
        }
    }

    private List<Claim> replayUntil(AtomicBoolean gone, CountDownLatch replaying, String prefix, int isolation)
            throws SQLException {
        List<Claim> claims = new ArrayList<>();
        try (Session session = new Session(database)) {
            session.connection().setTransactionIsolation(isolation);
            boolean last;
            do {
                last = gone.get();
                for (int key = 0; key < KEYS; key++) {
                    claims.add(session.claim(request(prefix + key)));
                    session.commit();
                }
                replaying.countDown();
            } while (!last);
        }
        return claims;
    }

    /** Keys that are kept for longer than their responses, which were to be kept until that day. */
    private void store(String prefix, LocalDate day) throws SQLException {
        try (Session session = new Session(database)) {
            for (int key = 0; key < KEYS; key++) {
                session.call(request(prefix + key), "7");
            }
        }
        String moved = " = '" + day + " 12:00:00+00' where request_id in (select request_id"
                + " from idempotency.idempotency_request where idempotency_key like '" + prefix + "%')";
        admin.update("update idempotency.idempotency_response set expires_at" + moved);
        admin.update("update idempotency.idempotency_request set response_kept_until" + moved);
    }

    private void drop(LocalDate day) {
        String leaf = "idempotency.idempotency_response_" + ResponsesInTable.leafOf(day);
        admin.execute("alter table idempotency.idempotency_response detach partition " + leaf + " concurrently");
        admin.execute("drop table " + leaf);
    }
}
