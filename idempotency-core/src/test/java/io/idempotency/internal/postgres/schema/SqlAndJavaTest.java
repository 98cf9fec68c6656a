package io.idempotency.internal.postgres.schema;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.ClaimResult;
import io.idempotency.internal.claim.ClaimResult.Kind;
import io.idempotency.internal.claim.Completion;
import io.idempotency.internal.claim.Failure;
import io.idempotency.internal.claim.Fence;
import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.internal.postgres.Requests;
import io.idempotency.internal.postgres.Session;
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

    private static final int CALLERS_OF_A_KIND = TestSize.pick(4, 16);

    private static final int CLAIMS_TO_A_KILL = 5;

    /** The shortest that SQL can take. */
    private static final Duration LEASE = Duration.ofSeconds(1);

    private static final Failure DECLINED = new Failure(false, "declined", "no cover");

    private final TestDatabase database;

    private final JdbcTemplate admin;

    private final AtomicInteger claims = new AtomicInteger();

    private final AtomicInteger running = new AtomicInteger();

    SqlAndJavaTest(TestDatabase database) {
        this.database = database;
        this.admin = database.jdbc();
    }

    @BeforeAll
    static void migrate(TestDatabase database) {
        MigratedTables.withFunctionsIn(database);
        database.jdbc().execute("create table effect (key text not null, body text not null)");
    }

    @AfterEach
    void clear() {
        admin.execute("truncate idempotency.idempotency_request, effect");
    }

    /** However long the lease was: as if the claim were six days old, of the seven that its key is kept. */
    @Test
    void theRetentionOfALeaseCountsFromItsEnd() throws SQLException {
        try (SqlSession session = new SqlSession(database.connection())) {
            SqlSession.SqlClaim success = session.lease("lease-1", 60);
            SqlSession.SqlClaim failure = session.lease("lease-2", 60);
            SqlSession.SqlClaim inTransaction = session.claim("no-lease");
            session.execute("update idempotency.idempotency_request set claimed_at = claimed_at - interval '6 days',"
                            + " expires_at = expires_at - interval '6 days'")
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
            SqlClaimTest.assertRefused("P4010", "test-process", () -> sql.claim("order-2", "another", null));
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
            java.store().fail(java.connection(), request.fence(1), DECLINED);
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
                                new Failure(true, DECLINED.code(), DECLINED.message()));
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

    /** Callers of both kinds want all keys at once, two thirds of them in one transaction and one third with leases. */
    @Test
    @Tag("race")
    void eachKeyTakesEffectOnceWhateverIsKilled() {
        running.set(2 * CALLERS_OF_A_KIND);
        List<Callable<Map<String, String>>> calls = new ArrayList<>();
        for (int i = 0; i < CALLERS_OF_A_KIND; i++) {
            calls.add(new SqlCaller(i));
            calls.add(new JavaCaller(i));
        }
        AtomicInteger kills = new AtomicInteger();
        calls.add(() -> {
            kill(kills);
            return Map.of();
        });

        List<Map<String, String>> answers =
                ConcurrentCalls.<Map<String, String>>run(calls).requireAllSucceeded();

        assertThat(kills).as("backends killed").hasPositiveValue();
        assertThat(admin.queryForObject("select count(*) from effect", Integer.class))
                .isEqualTo(KEYS);
        assertThat(admin.queryForObject("select count(distinct key) from effect", Integer.class))
                .isEqualTo(KEYS);
        assertThat(admin.queryForList("select distinct substr(body, 2, 3) from effect", String.class))
                .as("who made the effects")
                .containsExactlyInAnyOrder("sql", "jav");
        Map<String, String> expected = new HashMap<>();
        admin.query("select key, body from effect", row -> {
            expected.put(row.getString(1), row.getString(2));
        });
        assertThat(answers.subList(0, 2 * CALLERS_OF_A_KIND))
                .allSatisfy(answer -> assertThat(answer).isEqualTo(expected));
    }

    /** One that writes after some more claims each, as long as anybody calls. */
    private void kill(AtomicInteger kills) throws SQLException {
        SingleConnectionDataSource single = new SingleConnectionDataSource(database.connection(), true);
        try {
            JdbcTemplate jdbc = new JdbcTemplate(single);
            while (running.get() > 0) {
                if (claims.get() / CLAIMS_TO_A_KILL > kills.get()) {
                    kills.addAndGet(jdbc.queryForObject("""
                            select count(pg_terminate_backend(pid))
                            from (
                                select pid
                                from pg_stat_activity
                                where application_name = 'caller' and backend_xid is not null
                                order by random()
                                limit 1) as victim""", Integer.class));
                } else {
                    jdbc.execute("select pg_sleep(0.002)");
                }
            }
        } finally {
            single.destroy();
        }
    }

    private abstract class Caller implements Callable<Map<String, String>> {

        private final int number;

        Caller(int number) {
            this.number = number;
        }

        @Override
        public Map<String, String> call() throws Exception {
            try {
                List<Integer> order = new ArrayList<>();
                for (int i = 0; i < KEYS; i++) {
                    order.add(i);
                }
                Collections.shuffle(order, new Random(number));
                Map<String, String> answers = new HashMap<>();
                for (int i : order) {
                    answers.put("order-" + i, callUntilAnswered("order-" + i, i % 3 == 0));
                }
                return answers;
            } finally {
                running.decrementAndGet();
                close();
            }
        }

        private String callUntilAnswered(String key, boolean leased) throws SQLException {
            while (true) {
                try {
                    String answer = attempt(key, leased);
                    if (answer != null) {
                        return answer;
                    }
                } catch (SQLException failure) {
                    requireKilled(failure);
                    close();
                } catch (DataAccessException failure) {
                    requireKilled(failure);
                    close();
                }
            }
        }

        /** The connection may have been closed before the server's word arrived, and that is the cause of the driver's then. */
        private void requireKilled(DataAccessException failure) {
            Throwable cause = failure;
            while (!(cause instanceof SQLException) && cause.getCause() != null) {
                cause = cause.getCause();
            }
            assertThat(cause).isInstanceOf(SQLException.class);
            requireKilled((SQLException) cause);
        }

        private void requireKilled(SQLException failure) {
            assertThat(failure.getSQLState())
                    .as(failure.getMessage())
                    .satisfiesAnyOf(
                            state -> assertThat(state).isEqualTo("57P01"),
                            state -> assertThat(state).startsWith("08"),
                            state -> assertThat(state).isEqualTo("P4013"));
        }

        /** Nothing if it is to be tried again. */
        abstract String attempt(String key, boolean leased) throws SQLException;

        abstract void close() throws SQLException;
    }

    private final class SqlCaller extends Caller {

        private SqlSession session;

        SqlCaller(int number) {
            super(number);
        }

        @Override
        String attempt(String key, boolean leased) throws SQLException {
            if (session == null) {
                session = new SqlSession(victims().getConnection());
            }
            SqlClaim claim = leased ? session.lease(key, (int) LEASE.toSeconds()) : session.claim(key);
            if (leased) {
                session.commit();
            }
            if (claim.kind().equals("processing_active")) {
                session.execute("select pg_sleep(0.02)").rollback();
                return null;
            }
            String answer = claim.body();
            if (claim.token() != null) {
                answer = "\"sql " + claims.incrementAndGet() + "\"";
                session.execute(effect(key, answer)).succeed(key, claim, answer);
            }
            session.commit();
            return answer;
        }

        @Override
        void close() throws SQLException {
            if (session != null) {
                session.close();
                session = null;
            }
        }
    }

    private final class JavaCaller extends Caller {

        private Session session;

        JavaCaller(int number) {
            super(number);
        }

        @Override
        String attempt(String key, boolean leased) throws SQLException {
            if (session == null) {
                session = new Session(victims().getConnection());
            }
            ClaimRequest request = leased ? Requests.leased(key, "payload", LEASE) : Requests.request(key);
            ClaimResult claim = session.claim(request);
            if (leased) {
                session.commit();
            }
            if (claim.isGranted()) {
                String answer = "\"java " + claims.incrementAndGet() + "\"";
                session.execute(effect(key, answer));
                Fence fence = request.fence(claim.attempt());
                if (!session.complete(new Completion(fence, answer, null, null))) {
                    session.rollback();
                    return null;
                }
                session.commit();
                return answer;
            }
            session.rollback();
            if (claim.kind() == Kind.LEASED) {
                session.execute("select pg_sleep(0.02)").rollback();
                return null;
            }
            return claim.responseBody();
        }

        @Override
        void close() throws SQLException {
            if (session != null) {
                session.close();
                session = null;
            }
        }
    }

    /** Takes some time, in which it may be killed. */
    private static String effect(String key, String body) {
        return "insert into effect values ('%s', '%s'); select pg_sleep(0.005)".formatted(key, body);
    }

    private PGSimpleDataSource victims() {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(database.jdbcUrl());
        dataSource.setUser(database.username());
        dataSource.setPassword(database.password());
        dataSource.setApplicationName("caller");
        return dataSource;
    }

    private SqlSession sql() throws SQLException {
        return new SqlSession(database.dataSource());
    }

    private Session java() throws SQLException {
        return new Session(database.dataSource().getConnection());
    }

    private void expireLeases() {
        admin.update("update idempotency.idempotency_request set locked_until = now() - interval '1 second'"
                + " where locked_until is not null");
    }
}
