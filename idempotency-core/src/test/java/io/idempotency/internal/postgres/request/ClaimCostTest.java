package io.idempotency.internal.postgres.request;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.ClaimResult;
import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.internal.postgres.Session;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.RoundTripCounter;
import io.idempotency.test.TestDatabase;

import static io.idempotency.internal.postgres.Requests.forgettingItsResponse;
import static io.idempotency.internal.postgres.Requests.request;
import static io.idempotency.internal.postgres.Requests.withoutResponse;
import static org.assertj.core.api.Assertions.assertThat;

/** What a call costs: round trips and what is written. */
@PostgresTest
class ClaimCostTest {

    /** More than it takes until the driver prepares a statement on the server. */
    private static final int CALLS = 8;

    private static final String RESPONSE =
            "{\"paymentId\":\"8c1ad0f4-7f53-4d4a-9f0b-0c6f6c1f1a55\",\"accountId\":\"alice\",\"amountCents\":1250,"
                    + "\"currency\":\"EUR\",\"reference\":\"order-42\",\"status\":\"booked\"}";

    private final TestDatabase database;
    private final JdbcTemplate admin;

    ClaimCostTest(TestDatabase database) {
        this.database = database;
        this.admin = database.jdbc();
    }

    @BeforeAll
    static void migrate(TestDatabase database) {
        MigratedTables.in(database);
    }

    @AfterEach
    void clear() {
        admin.execute("truncate idempotency.idempotency_request");
    }

    @ParameterizedTest
    @ValueSource(strings = {"simple", "extended", "extendedForPrepared", "extendedCacheEverything"})
    void inRoundTrips(String queryMode) throws Exception {
        try (RoundTripCounter counter = RoundTripCounter.of(database);
                Session session = new Session(connection(counter, queryMode));
                Session another = new Session(connection(counter, queryMode))) {
            for (int i = 0; i < CALLS; i++) {
                ClaimRequest none = withoutResponse("void-" + i);
                assertThat(counter.count(() -> session.claimGranted(none)))
                        .as("claim of a new key, BEGIN included")
                        .isEqualTo(1);
                assertThat(counter.count(session::commit)).as("its commit").isEqualTo(1);

                ClaimRequest some = request("some-" + i);
                assertThat(counter.count(() -> session.call(some, RESPONSE)))
                        .as("claim, response, commit")
                        .isEqualTo(3);
                assertThat(counter.count(() -> findInAutoCommit(session, some)))
                        .as("query of a duplicate that this instance has answered")
                        .isEqualTo(1);
                assertThat(counter.count(() -> another.claim(some)))
                        .as("claim and query of a duplicate in another instance, BEGIN included")
                        .isEqualTo(2);
                assertThat(counter.count(session::state))
                        .as("state of the transaction")
                        .isZero();
                another.commit();
            }
        }
    }

    private static void findInAutoCommit(Session session, ClaimRequest request) throws SQLException {
        session.connection().setAutoCommit(true);
        assertThat(session.findAnswered(request)).isPresent();
        session.connection().setAutoCommit(false);
    }

    @Test
    void aReplayLocksAndWritesNothing() throws SQLException {
        ClaimRequest request = request("order-42");
        try (Session session = new Session(database.dataSource())) {
            session.call(request, RESPONSE);
            admin.execute("vacuum (freeze, analyze) idempotency.idempotency_request");
            session.call(request, RESPONSE);

            // Others, such as the checkpointer, write a little now and then.
            Awaitility.await().pollDelay(Duration.ZERO).untilAsserted(() -> {
                String before = admin.queryForObject("select pg_current_wal_insert_lsn()::text", String.class);
                assertThat(session.claim(request)).isEqualTo(ClaimResult.succeeded(RESPONSE));
                assertThat(session.findAnswered(request)).isPresent();
                assertThat(session.query("select pg_current_xact_id_if_assigned()"))
                        .as("a transaction that writes or locks a row has an id")
                        .isNull();
                session.commit();
                assertThat(admin.queryForObject("select pg_current_wal_insert_lsn()::text", String.class))
                        .isEqualTo(before);
            });
        }
        assertThat(admin.queryForObject("select xmax::text from idempotency.idempotency_request", String.class))
                .isEqualTo("0");
    }

    @ParameterizedTest(name = "with a response that goes before its key: {0}")
    @ValueSource(booleans = {false, true})
    void everyCompletionIsAHotUpdate(boolean withResponseRetention) throws SQLException {
        int calls = 1_000;
        database.backends().awaitStatistics();
        Map<String, Object> before = updates();
        try (Session session = new Session(database.connection())) {
            session.execute("set synchronous_commit = off").commit();
            for (int i = 0; i < calls; i++) {
                session.call(
                        withResponseRetention
                                ? forgettingItsResponse("order-" + i, Duration.ofHours(1))
                                : request("order-" + i),
                        RESPONSE);
            }
        }

        // A backend tells what it did when it ends, if not before.
        Map<String, Object> after = Awaitility.await()
                .until(this::updates, seen -> (Long) seen.get("n_tup_upd") - (Long) before.get("n_tup_upd") == calls);
        assertThat((Long) after.get("n_tup_hot_upd") - (Long) before.get("n_tup_hot_upd"))
                .as("updates that wrote to no index")
                .isEqualTo(calls);
    }

    @Test
    void onlyThePrimaryKeyAndTheExpiryAreIndexedAndOfLeasesTheirEnd() {
        assertThat(admin.queryForList(
                        "select a.attname || coalesce(' where ' || pg_get_expr(i.indpred, i.indrelid), '')"
                                + " from pg_index i join pg_attribute a on a.attrelid = i.indexrelid"
                                + " where i.indrelid = 'idempotency.idempotency_request'::regclass order by 1",
                        String.class))
                .containsExactly(
                        "expires_at",
                        "locked_until where (locked_until IS NOT NULL)",
                        "request_id",
                        "response_expires_at where (response_expires_at IS NOT NULL)");
    }

    private Map<String, Object> updates() {
        return admin.queryForMap("select n_tup_upd, n_tup_hot_upd from pg_stat_user_tables"
                + " where relid = 'idempotency.idempotency_request'::regclass");
    }

    private Connection connection(RoundTripCounter counter, String queryMode) throws SQLException {
        return DriverManager.getConnection(
                counter.jdbcUrl() + "&preferQueryMode=" + queryMode, database.username(), database.password());
    }
}
