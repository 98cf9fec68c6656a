package io.idempotency.internal.postgres.request;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.Callable;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.idempotency.internal.claim.ClaimResult;
import io.idempotency.internal.claim.ClaimResult.Kind;
import io.idempotency.internal.postgres.EachDriverMode;
import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.internal.postgres.Session;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static io.idempotency.internal.postgres.Requests.request;
import static io.idempotency.internal.postgres.Requests.waitingAtMost;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeout;

/** The bound of a claim's wait is seen by the claim alone, however the driver sends its statements. */
@PostgresTest
@EachDriverMode
@Tag("full")
class StatementTimeoutTest {

    /** More than it takes until the driver prepares a statement on the server. */
    private static final int CALLS = 8;

    private static final Duration SHORT = Duration.ofMillis(150);

    @Parameter
    private String driverSetting;

    private final TestDatabase database;
    private Session session;

    StatementTimeoutTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeAll
    static void migrate(TestDatabase database) {
        MigratedTables.in(database);
    }

    @BeforeEach
    void open() throws SQLException {
        session = new Session(connection());
    }

    @AfterEach
    void close() throws SQLException {
        session.close();
        database.jdbc().execute("truncate idempotency.idempotency_request");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "7s", "1234ms"})
    void theApplicationsSettingSurvivesEveryClaim(String setting) throws SQLException {
        session.execute("set statement_timeout = '" + setting + "'").commit();

        for (int i = 0; i < CALLS; i++) {
            session.claimGranted(request("key-" + i));
            assertThat(setting()).as("inside call %d", i).isEqualTo(setting);
            session.complete(request("key-" + i), "1").commit();
            assertThat(setting()).as("after call %d", i).isEqualTo(setting);
            session.commit();
            assertThat(session.claim(request("key-" + i))).isEqualTo(ClaimResult.succeeded("1"));
            assertThat(setting()).as("after replay %d", i).isEqualTo(setting);
            session.commit();
        }
    }

    @Test
    void aSettingOfTheTransactionSurvivesToo() throws SQLException {
        session.execute("set local statement_timeout = '3s'");

        session.claimGranted(request("order-42"));

        assertThat(setting()).isEqualTo("3s");
        session.rollback();
        assertThat(setting()).isEqualTo("0");
    }

    @Test
    void theMethodsStatementsMayTakeLongerThanAWait() throws SQLException {
        Duration wait = Duration.ofSeconds(1);
        for (int i = 0; i < CALLS; i++) {
            session.claimGranted(waitingAtMost(wait, "key-" + i));
            if (i == CALLS - 1) {
                session.execute("select pg_sleep(1.01)");
            }
            session.commit();
        }
    }

    @Test
    void theMethodsStatementsAreBoundByTheApplicationsSetting() throws SQLException {
        session.execute("set statement_timeout = '500ms'").commit();
        session.claimGranted(request("order-42"));

        assertThatThrownBy(() -> session.execute("select pg_sleep(20)"))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("statement timeout");
    }

    @Test
    void theWaitIsBoundAndTheSettingIsBackAfterTheRollback() throws SQLException {
        session.execute("set statement_timeout = '7s'").commit();
        try (Session holder = new Session(connection())) {
            holder.claimGranted(request("order-42"));

            for (int i = 0; i < 3; i++) {
                assertEndsBeforeTheApplicationsOwnTimeout(() -> session.claim(waitingAtMost(SHORT, "order-42")));
                session.rollback();
                assertThat(setting()).isEqualTo("7s");
            }
        }
    }

    @Test
    void theLookOfARepeatIsBoundAndTheSettingIsBackAfterTheRollback() throws SQLException {
        session.execute("set statement_timeout = '7s'").commit();
        for (int i = 0; i < CALLS; i++) {
            session.call(request("order-42"), "1");
        }
        try (Session holder = new Session(connection())) {
            holder.execute("lock table idempotency.idempotency_request in access exclusive mode");

            for (int i = 0; i < 3; i++) {
                assertEndsBeforeTheApplicationsOwnTimeout(() -> session.claim(waitingAtMost(SHORT, "order-42")));
                session.rollback();
                assertThat(setting()).isEqualTo("7s");
                session.commit();
            }
        }
    }

    @Test
    void aWaitInsideASavepointLeavesTheOuterTransactionAsItWas() throws SQLException {
        session.execute("set local statement_timeout = '7s'");
        try (Session holder = new Session(connection())) {
            holder.claimGranted(request("order-42"));
            session.execute("savepoint inner_call");

            assertEndsBeforeTheApplicationsOwnTimeout(() -> session.claim(waitingAtMost(SHORT, "order-42")));

            session.execute("rollback to savepoint inner_call");
            assertThat(setting()).isEqualTo("7s");
        }
    }

    private static void assertEndsBeforeTheApplicationsOwnTimeout(Callable<ClaimResult> claim) {
        assertTimeout(
                Duration.ofSeconds(6), () -> assertThat(claim.call().kind()).isEqualTo(Kind.IN_PROGRESS));
    }

    private String setting() throws SQLException {
        return session.query("select current_setting('statement_timeout')");
    }

    private Connection connection() throws SQLException {
        return EachDriverMode.Connections.open(database, driverSetting);
    }
}
