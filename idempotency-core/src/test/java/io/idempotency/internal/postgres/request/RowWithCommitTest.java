package io.idempotency.internal.postgres.request;

import java.sql.SQLException;
import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.springframework.dao.DataAccessException;

import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.ClaimResult;
import io.idempotency.internal.claim.Completion;
import io.idempotency.internal.postgres.EachDriverMode;
import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.internal.postgres.Session;
import io.idempotency.internal.transaction.TransactionState;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.RoundTripCounter;
import io.idempotency.test.TestDatabase;

import static io.idempotency.internal.postgres.Requests.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The row of a finished call and its COMMIT in one message are one thing or nothing, however the driver sends them. */
@Tag("citus")
@PostgresTest
@EachDriverMode
class RowWithCommitTest {

    /** More than it takes until the driver prepares a statement on the server. */
    private static final int CALLS = 8;

    @Parameter
    private String driverSetting;

    private final TestDatabase database;

    private RoundTripCounter counter;

    private Session session;

    RowWithCommitTest(TestDatabase database) {
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
    void oneRoundTripInsertsAndCommits() throws Exception {
        for (int call = 0; call < CALLS; call++) {
            ClaimRequest request = request("key-" + call);
            session.execute("insert into effect values ('" + call + "', " + (100 + call) + ")");

            assertThat(counter.count(() -> insertAndCommit(request))).isEqualTo(1);

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
    void aKeyThatHasARowRefusesTheCommit() throws Exception {
        for (int call = 0; call < CALLS; call++) {
            ClaimRequest request = request("key-" + call);
            insertAndCommit(request);
            session.execute("insert into effect values ('" + call + "', " + (100 + call) + ")");

            assertRefused(request);

            session.rollback();
            assertThat(effects()).isZero();
        }
    }

    @Test
    void aCommitThatFailsLeavesNothing() throws Exception {
        for (int call = 0; call < CALLS; call++) {
            ClaimRequest request = request("key-" + call);
            session.execute("insert into effect values ('a', 1), ('b', 1)");

            assertRefused(request);

            assertThat(session.state()).isEqualTo(TransactionState.ENDED);
            assertThat(effects()).isZero();
            session.claimGranted(request).rollback();
        }
    }

    private void assertRefused(ClaimRequest request) {
        assertThatExceptionOfType(DataAccessException.class)
                .isThrownBy(() -> insertAndCommit(request))
                .havingRootCause()
                .isInstanceOfSatisfying(
                        SQLException.class,
                        failure -> assertThat(failure.getSQLState()).isEqualTo("23505"));
    }

    @Test
    void aFailedStatementBeforeItRefusesTheCommit() throws Exception {
        ClaimRequest request = request("key");
        session.execute("insert into effect values ('a')");
        assertThatThrownBy(() -> session.execute("select 1 / 0")).isInstanceOf(SQLException.class);
        boolean isUndone = session.state() != TransactionState.ABORTED;

        if (isUndone) {
            insertAndCommit(request);
        } else {
            assertThatThrownBy(() -> insertAndCommit(request)).isInstanceOf(DataAccessException.class);
        }

        session.rollback();
        assertThat(effects()).isEqualTo(isUndone ? 1 : 0);
    }

    @Test
    void theRowIsThatOfAnInsertAlone() throws Exception {
        ClaimRequest alone = request("alone");
        session.store().insertFinished(session.connection(), alone, completionOf(alone));
        session.commit();

        insertAndCommit(request("with-commit"));

        assertThat(row("with-commit"))
                .isEqualTo(row("alone"))
                .containsEntry("status", "succeeded")
                .containsEntry("result_ref_id", "42");
    }

    private Map<String, Object> row(String key) {
        return database.jdbc().queryForMap("""
                select status, response_body::text, result_ref_type, result_ref_id, locked_until, attempt_count
                from idempotency.idempotency_request where idempotency_key = ?""", key);
    }

    private void insertAndCommit(ClaimRequest request) {
        session.store().insertFinishedAndCommit(session.connection(), request, completionOf(request));
    }

    private static Completion completionOf(ClaimRequest request) {
        return new Completion(request.fence(1), "{\"n\":1}", "receipt", "42");
    }

    private int effects() {
        return database.jdbc().queryForObject("select count(*) from effect", Integer.class);
    }
}
