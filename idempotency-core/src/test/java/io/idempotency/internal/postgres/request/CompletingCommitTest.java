package io.idempotency.internal.postgres.request;

import java.sql.SQLException;
import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.ClaimResult;
import io.idempotency.internal.transaction.TransactionState;
import io.idempotency.internal.claim.CompletingCommit;
import io.idempotency.internal.claim.Completion;
import io.idempotency.internal.postgres.EachDriverMode;
import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.internal.postgres.Session;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.RoundTripCounter;
import io.idempotency.test.TestDatabase;

import static io.idempotency.internal.postgres.Requests.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A response and its COMMIT in one round trip are one thing or nothing, however the driver sends them. */
@Tag("citus")
@PostgresTest
@EachDriverMode
class CompletingCommitTest {

    /** More than it takes until the driver prepares a statement on the server. */
    private static final int CALLS = 8;

    @Parameter
    private String driverSetting;

    private final TestDatabase database;

    private RoundTripCounter counter;

    private Session session;

    CompletingCommitTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeAll
    static void migrate(TestDatabase database) {
        MigratedTables.in(database);
        database.jdbc().execute("""
                create table effect (key text primary key, step int not null default 1,
                    unique (step) deferrable initially deferred)""");
    }

    @BeforeEach
    void open() throws SQLException {
        counter = RoundTripCounter.of(database);
        session = new Session(EachDriverMode.Connections.open(counter.jdbcUrl(), database, driverSetting));
    }

    @AfterEach
    void close() throws SQLException {
        session.close();
        counter.close();
        database.jdbc().execute("truncate effect, idempotency.idempotency_request");
    }

    @Test
    void oneRoundTripCompletesAndCommits() throws Exception {
        for (int call = 0; call < CALLS; call++) {
            ClaimRequest request = request("key-" + call);
            session.claimGranted(request).execute("insert into effect values ('" + call + "', " + (100 + call) + ")");
            try (CompletingCommit commit = prepared(request)) {
                assertThat(counter.count(() -> assertThat(commit.send()).isTrue()))
                        .isEqualTo(1);
            }
            assertThat(session.state()).isEqualTo(TransactionState.ENDED);
            assertThat(counter.count(session::commit))
                    .as("the commit that follows")
                    .isZero();

            assertThat(session.claim(request)).isEqualTo(ClaimResult.succeeded("{\"n\":1}"));
            session.commit();
        }
        assertThat(effects()).isEqualTo(CALLS);
    }

    @Test
    void aRowThatIsGoneRefusesTheCommit() throws Exception {
        assertRefused("delete from idempotency.idempotency_request where idempotency_key = 'key-%d'");
    }

    @Test
    void aRowThatIsCompletedAlreadyRefusesTheCommit() throws Exception {
        assertRefused("update idempotency.idempotency_request set status = 'succeeded', response_body = '2'"
                + " where idempotency_key = 'key-%d'");
    }

    private void assertRefused(String interference) throws SQLException {
        for (int call = 0; call < CALLS; call++) {
            ClaimRequest request = request("key-" + call);
            session.claimGranted(request)
                    .execute("insert into effect values ('" + call + "', " + (100 + call) + ")")
                    .execute(interference.formatted(call));

            try (CompletingCommit commit = prepared(request)) {
                assertThat(commit.send()).isFalse();
            }

            session.rollback();
            assertThat(effects()).isZero();
            session.claimGranted(request).rollback();
        }
    }

    @Test
    void aCommitThatFailsIsNoMissingRow() throws Exception {
        for (int call = 0; call < CALLS; call++) {
            ClaimRequest request = request("key-" + call);
            session.claimGranted(request).execute("insert into effect values ('a', 1), ('b', 1)");

            try (CompletingCommit commit = prepared(request)) {
                assertThatThrownBy(commit::send)
                        .isInstanceOfSatisfying(
                                SQLException.class,
                                failure -> assertThat(failure.getSQLState()).isEqualTo("23505"));
            }

            assertThat(session.state()).isEqualTo(TransactionState.ENDED);
            assertThat(effects()).isZero();
            session.claimGranted(request).rollback();
        }
    }

    @Test
    void aFailedStatementBeforeItRefusesTheCommit() throws Exception {
        ClaimRequest request = request("key");
        session.claimGranted(request).execute("insert into effect values ('a')");
        assertThatThrownBy(() -> session.execute("select 1 / 0")).isInstanceOf(SQLException.class);
        boolean isUndone = session.state() != TransactionState.ABORTED;

        try (CompletingCommit commit = prepared(request)) {
            if (isUndone) {
                assertThat(commit.send()).isTrue();
            } else {
                assertThatThrownBy(commit::send).isInstanceOf(SQLException.class);
            }
        }

        session.rollback();
        assertThat(effects()).isEqualTo(isUndone ? 1 : 0);
    }

    @Test
    void theRowHoldsWhatAnOrdinaryCompletionWrites() throws Exception {
        ClaimRequest ordinary = request("ordinary");
        ClaimRequest pipelined = request("pipelined");
        Completion completion = new Completion(ordinary.fence(1), "{\"n\":1}", "receipt", "42");
        session.claimGranted(ordinary);
        assertThat(session.complete(completion)).isTrue();
        session.commit();
        session.claimGranted(pipelined);
        Completion same = new Completion(pipelined.fence(1), "{\"n\":1}", "receipt", "42");

        try (CompletingCommit commit = session.store().completingCommit(session.connection(), same)) {
            commit.send();
        }

        assertThat(row("pipelined"))
                .isEqualTo(row("ordinary"))
                .containsEntry("status", "succeeded")
                .containsEntry("result_ref_id", "42");
    }

    private Map<String, Object> row(String key) {
        return database.jdbc().queryForMap("""
                select status, response_body::text, result_ref_type, result_ref_id, locked_until, attempt_count,
                       updated_at > created_at as updated
                from idempotency.idempotency_request where idempotency_key = ?""", key);
    }

    private CompletingCommit prepared(ClaimRequest request) {
        return session.store()
                .completingCommit(session.connection(), new Completion(request.fence(1), "{\"n\":1}", null, null));
    }

    private int effects() {
        return database.jdbc().queryForObject("select count(*) from effect", Integer.class);
    }
}
