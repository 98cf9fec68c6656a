package io.idempotency.internal.postgres.schema;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.ClaimResult;
import io.idempotency.internal.claim.ClaimResult.Kind;
import io.idempotency.internal.claim.Completion;
import io.idempotency.internal.claim.Failure;
import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.internal.postgres.Requests;
import io.idempotency.internal.postgres.Session;
import io.idempotency.internal.postgres.SqlRoles;
import io.idempotency.internal.postgres.SqlSession;
import io.idempotency.internal.postgres.SqlSession.SqlClaim;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;
import io.idempotency.test.TestSize;

import static org.assertj.core.api.Assertions.assertThat;

/** One set of keys for SQL and Java: what the one has claimed, the other one meets. */
@PostgresTest
class SqlAndJavaTest {

    private static final int KEYS = TestSize.pick(60, 500);

    private static final Failure DECLINED = new Failure(false, "declined", "no cover");

    private final TestDatabase database;

    private final JdbcTemplate admin;

    SqlAndJavaTest(TestDatabase database) {
        this.database = database;
        this.admin = database.jdbc();
    }

    @BeforeAll
    static void migrate(TestDatabase database) {
        MigratedTables.withFunctionsIn(database);
        database.jdbc().execute("create table effect (key int not null, body text not null)");
    }

    @AfterEach
    void clear() {
        admin.execute("truncate idempotency.idempotency_request, effect");
    }

    /** However long the lease was: as if the claim were six days old, of the seven that its key is kept. */
    @Test
    void theRetentionOfALeaseCountsFromItsEnd() throws SQLException {
        try (SqlSession session = new SqlSession(SqlRoles.worker(database))) {
            SqlSession.SqlClaim success = session.lease("lease-1", 60);
            SqlSession.SqlClaim failure = session.lease("lease-2", 60);
            SqlSession.SqlClaim inTransaction = session.claim("no-lease");
            session.execute(
                            "reset role; update idempotency.idempotency_request set"
                                    + " claimed_at = claimed_at - interval '6 days', expires_at = expires_at - interval '6 days'")
                    .succeed("lease-1", success, "{}")
                    .fail("lease-2", failure, false)
                    .succeed("no-lease", inTransaction, "{}")
                    .commit();
        }

        assertThat(database.jdbc()
                        .queryForList(
                                "select idempotency_key from idempotency.idempotency_request"
                                        + " where expires_at - clock_timestamp() > interval '6 days 23 hours' order by 1",
                                String.class))
                .containsExactly("lease-1", "lease-2");
    }

    @Test
    void javaReplaysWhatSqlHasStoredAndSqlWhatJavaHas() throws SQLException {
        try (SqlSession sql = sql();
                Session java = java()) {
            sql.call("order-1", "{\"id\": 1.00}");
            assertThat(java.call(Requests.request("order-1"), "2")).isEqualTo(ClaimResult.succeeded("{\"id\": 1.00}"));

            java.call(Requests.request("order-2"), "{\"id\": 2.00}");
            assertThat(sql.call("order-2", "1"))
                    .extracting(SqlClaim::kind, SqlClaim::body)
                    .containsExactly("replay_success", "{\"id\": 2.00}");

            java.call(Requests.withoutResponse("order-3"), "");
            assertThat(sql.claim("order-3").body()).isEqualTo("null");
        }
    }

    @Test
    void bothRefuseTheOthersKeyForAnotherPayload() throws SQLException {
        try (SqlSession sql = sql();
                Session java = java()) {
            sql.call("order-1", "1");
            assertThat(java.claim(Requests.request("order-1", "another"))).isEqualTo(ClaimResult.of(Kind.KEY_REUSED));

            java.call(Requests.request("order-2"), "2");
            SqlClaimTest.assertRefused("P4010", "test-process", () -> sql.claim("order-2", "another", null))
                    .satisfies(refused -> assertThat(
                                    refused.getServerErrorMessage().getHint())
                            .contains("repeat it only with the payload that it had")
                            .doesNotContain("new key"));
        }
    }

    @Test
    void bothKnowTheOthersAbandonedClaim() throws SQLException {
        try (SqlSession sql = sql();
                Session java = java()) {
            sql.claim("order-1");
            sql.commit();
            assertThat(java.claim(Requests.request("order-1"))).isEqualTo(ClaimResult.of(Kind.ABANDONED));

            java.claim(Requests.request("order-2"));
            java.commit();
            SqlClaimTest.assertRefused("P4012", "nobody knows", () -> sql.claim("order-2"));
        }
    }

    @Test
    void bothSeeTheOthersLease() throws SQLException {
        try (SqlSession sql = sql();
                Session java = java()) {
            sql.lease("order-1", 60);
            sql.commit();
            assertThat(java.claim(Requests.leased("order-1")).kind()).isEqualTo(Kind.LEASED);

            java.claim(Requests.leased("order-2"));
            java.commit();
            assertThat(sql.lease("order-2", 60).kind()).isEqualTo("processing_active");
        }
    }

    @Test
    void javaTakesOverALeaseOfSql() throws SQLException {
        try (SqlSession sql = sql();
                Session java = java()) {
            SqlClaim lost = sql.lease("order-1", 60);
            sql.commit();
            expireLeases();
            ClaimRequest request = Requests.leased("order-1");

            assertThat(java.claim(request)).isEqualTo(ClaimResult.granted(Kind.GRANTED_RECOVERY, 2));
            java.commit();

            SqlClaimTest.assertRefused("P4013", "attempt 2", () -> sql.succeed("order-1", lost, "1"));
            sql.rollback();
            assertThat(java.complete(new Completion(request.fence(2), "2", null, null)))
                    .isTrue();
            java.commit();
            assertThat(sql.claim("order-1").body()).isEqualTo("2");
        }
    }

    @Test
    void sqlTakesOverALeaseOfJava() throws SQLException {
        try (SqlSession sql = sql();
                Session java = java()) {
            ClaimRequest lost = Requests.leased("order-1");
            java.claim(lost);
            java.commit();
            expireLeases();

            SqlClaim taken = sql.lease("order-1", 60);
            sql.commit();

            assertThat(taken.kind()).isEqualTo("processing_stale");
            assertThat(java.complete(new Completion(lost.fence(1), "1", null, null)))
                    .isFalse();
            java.rollback();
            sql.succeed("order-1", taken, "2").commit();
            assertThat(java.claim(Requests.leased("order-1"))).isEqualTo(ClaimResult.succeeded("2"));
        }
    }

    @Test
    void bothClaimAgainWhatHasFailedAtTheOther() throws SQLException {
        try (SqlSession sql = sql();
                Session java = java()) {
            sql.fail("order-1", sql.lease("order-1", 60), true).commit();
            assertThat(java.claim(Requests.request("order-1"))).isEqualTo(ClaimResult.granted(Kind.GRANTED_RETRY, 2));

            ClaimRequest request = Requests.leased("order-2");
            java.claim(request);
            java.store().fail(java.connection(), request.fence(1), DECLINED, null);
            java.commit();
            assertThat(sql.claim("order-2"))
                    .extracting(SqlClaim::kind, SqlClaim::attempt, SqlClaim::failureCode)
                    .containsExactly("retryable_failure", 2, "declined");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void bothTellTheOthersFinalFailure(boolean failedBySql) throws SQLException {
        try (SqlSession sql = sql();
                Session java = java()) {
            if (failedBySql) {
                sql.fail("order-1", sql.lease("order-1", 60), false).commit();
            } else {
                ClaimRequest request = Requests.leased("order-1");
                java.claim(request);
                java.store()
                        .fail(
                                java.connection(),
                                request.fence(1),
                                new Failure(true, DECLINED.code(), DECLINED.message()),
                                null);
                java.commit();
            }

            assertThat(sql.claim("order-1"))
                    .extracting(SqlClaim::kind, SqlClaim::failureCode, SqlClaim::failureMessage)
                    .containsExactly("final_failure", "declined", "no cover");
            assertThat(java.claim(Requests.request("order-1")))
                    .isEqualTo(ClaimResult.failedFinally(new Failure(true, "declined", "no cover")));
        }
    }

    @Test
    @Tag("race")
    void bothWaitForTheOther() throws Exception {
        try (SqlSession sql = sql();
                Session java = java()) {
            SqlClaim held = sql.claim("order-1");
            ConcurrentCalls<ClaimResult> waitingJava =
                    ConcurrentCalls.start(List.of(() -> java.call(Requests.request("order-1"), "2")));
            database.backends().awaitBlocked(java.connection());
            sql.succeed("order-1", held, "1").commit();
            assertThat(waitingJava.await().requireAllSucceeded()).containsExactly(ClaimResult.succeeded("1"));

            java.claim(Requests.request("order-2"));
            ConcurrentCalls<SqlClaim> waitingSql = ConcurrentCalls.start(List.of(() -> sql.call("order-2", "1")));
            database.backends().awaitBlocked(sql.connection());
            java.complete(Requests.request("order-2"), "2").commit();
            assertThat(waitingSql.await().requireAllSucceeded())
                    .extracting(SqlClaim::body)
                    .containsExactly("2");
        }
    }

    /** Callers of both kinds want each key at the same time. */
    @Test
    @Tag("race")
    void eachKeyTakesEffectOnceWhoeverCalls() {
        int callers = 8;
        CyclicBarrier nextKey = new CyclicBarrier(callers);
        List<List<String>> answers = ConcurrentCalls.run(
                        callers, caller -> caller % 2 == 0 ? callAllBySql(nextKey) : callAllByJava(nextKey))
                .requireAllSucceeded();

        List<String> effects = admin.queryForList("select body from effect order by key", String.class);
        assertThat(effects).hasSize(KEYS).contains("\"sql\"", "\"java\"");
        assertThat(answers).containsOnly(effects);
    }

    private List<String> callAllBySql(CyclicBarrier nextKey) throws Exception {
        List<String> answers = new ArrayList<>();
        try (SqlSession session = new SqlSession(SqlRoles.worker(database))) {
            for (int key = 0; key < KEYS; key++) {
                nextKey.await(30, TimeUnit.SECONDS);
                SqlClaim claim = session.claim("order-" + key);
                if (claim.token() != null) {
                    session.execute("insert into effect values (%d, '\"sql\"')".formatted(key))
                            .succeed("order-" + key, claim, "\"sql\"");
                }
                session.commit();
                answers.add(claim.token() == null ? claim.body() : "\"sql\"");
            }
        }
        return answers;
    }

    private List<String> callAllByJava(CyclicBarrier nextKey) throws Exception {
        List<String> answers = new ArrayList<>();
        try (Session session = new Session(database)) {
            for (int key = 0; key < KEYS; key++) {
                nextKey.await(30, TimeUnit.SECONDS);
                ClaimRequest request = Requests.request("order-" + key);
                ClaimResult claim = session.claim(request);
                if (claim.isGranted()) {
                    session.execute("insert into effect values (%d, '\"java\"')".formatted(key))
                            .complete(request, "\"java\"");
                }
                session.commit();
                answers.add(claim.isGranted() ? "\"java\"" : claim.responseBody());
            }
        }
        return answers;
    }

    private SqlSession sql() throws SQLException {
        return new SqlSession(SqlRoles.worker(database));
    }

    private Session java() throws SQLException {
        return new Session(database.dataSource().getConnection());
    }

    private void expireLeases() {
        admin.update("update idempotency.idempotency_request set locked_until = now() - interval '1 second'"
                + " where locked_until is not null");
    }
}
