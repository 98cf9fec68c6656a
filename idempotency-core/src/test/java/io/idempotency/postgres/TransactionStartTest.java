package io.idempotency.postgres;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.core.BaseConnection;

import io.idempotency.claim.Claim;
import io.idempotency.claim.ClaimRequest;
import io.idempotency.claim.ClaimStore.TransactionState;
import io.idempotency.test.CuttingProxy;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.RoundTripCounter;
import io.idempotency.test.StatementRecorder;
import io.idempotency.test.TestDatabase;

import static io.idempotency.postgres.Requests.PATIENT;
import static io.idempotency.postgres.Requests.request;
import static io.idempotency.postgres.Requests.waitingAtMost;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A claim that is the first of its transaction begins it, and leaves it as the driver would have. */
@PostgresTest
class TransactionStartTest {

    /** More than it takes until the driver prepares a statement on the server. */
    private static final int CALLS = 8;

    private final TestDatabase database;

    private RoundTripCounter counter;

    TransactionStartTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeAll
    static void migrate(TestDatabase database) {
        MigratedTables.in(database);
    }

    @BeforeEach
    void open() {
        counter = RoundTripCounter.of(database);
    }

    @AfterEach
    void close() {
        counter.close();
        database.jdbc().execute("truncate idempotency.idempotency_request");
    }

    @ParameterizedTest
    @CsvSource({
        "preferQueryMode=extended, 1",
        "preferQueryMode=extendedForPrepared, 1",
        "preferQueryMode=extendedCacheEverything, 1",
        "prepareThreshold=0, 1",
        "prepareThreshold=1, 1",
        "stringtype=unspecified, 1",
        // BEGIN, and a savepoint with one of its own
        "autosave=always, 3",
    })
    void aClaimIsAnsweredTogetherWithItsBegin(String driverSetting, long answers) throws Exception {
        try (Session session = open(driverSetting)) {
            for (int i = 0; i < CALLS; i++) {
                ClaimRequest request = request("order-" + i);
                assertThat(counter.countAnswers(() -> session.claimGranted(request)))
                        .isEqualTo(answers);
                session.complete(request, "1").commit();
                assertThat(counter.countAnswers(
                                () -> assertThat(session.claim(request)).isInstanceOf(Claim.Succeeded.class)))
                        .as("look of a duplicate")
                        .isEqualTo(answers);
                session.commit();
            }
        }
    }

    @Test
    void aMessageABatchAndALockAreToo() throws Exception {
        try (Deliveries deliveries = new Deliveries(counter.connection())) {
            Connection connection = deliveries.connection();
            for (int i = 0; i < CALLS; i++) {
                String id = "message-" + i;
                assertThat(counter.countAnswers(() -> deliveries.receive(Deliveries.message(id))))
                        .isEqualTo(1);
                connection.rollback();
                assertThat(counter.countAnswers(() -> deliveries.receiveNew(List.of(id))))
                        .isEqualTo(1);
                connection.rollback();
                assertThat(counter.countAnswers(() -> new AdvisoryLocks().take(connection, 42, PATIENT)))
                        .isEqualTo(1);
                connection.rollback();
            }
        }
    }

    @Test
    void aTransactionThatIsOpenIsNotBegunAgain() throws Exception {
        StatementRecorder recorder = StatementRecorder.of(database.dataSource());
        try (Session session = new Session(recorder.dataSource())) {
            session.execute("select 1");
            recorder.reset();

            session.claimGranted(request("order-42"));

            assertThat(recorder.statements())
                    .satisfiesExactly(claim -> assertThat(claim).startsWith("select set_config"));
        }
    }

    @Test
    void whatAWrapperDoesBeforehandIsInTheSameTransaction() throws Exception {
        Connection connection = database.connection();
        Connection wrapped = Interleaved.beforeEach(connection, sql -> {
            try (Statement statement = connection.createStatement()) {
                statement.execute("select set_config('app.tenant', 'acme', true)");
            }
        });
        try (Session session = new Session(wrapped)) {
            session.claimGranted(request("order-42"));

            assertThat(session.query("select current_setting('app.tenant')")).isEqualTo("acme");
        }
    }

    @Test
    void whatAWrapperDoesBeforehandStaysWithWhatFollowsALook() throws Exception {
        Connection connection = database.connection();
        AtomicInteger transactions = new AtomicInteger();
        Connection wrapped = Interleaved.beforeEach(connection, sql -> {
            if (connection.unwrap(BaseConnection.class).getTransactionState()
                    == org.postgresql.core.TransactionState.IDLE) {
                try (Statement statement = connection.createStatement()) {
                    statement.execute(
                            "select set_config('app.tenant', 'tenant-" + transactions.incrementAndGet() + "', true)");
                }
            }
        });
        try (Session session = new Session(wrapped)) {
            session.call(request("order-42"), "1");

            assertThat(session.claim(request("order-42"))).isEqualTo(new Claim.Succeeded("1"));

            assertThat(session.query("select current_setting('app.tenant')")).isEqualTo("tenant-2");
            assertThat(session.query("show statement_timeout")).isEqualTo("0");
        }
    }

    @Test
    void aRepeatIsAnsweredWhereItsStatementIsDescribedFirst() throws Exception {
        Connection connection = database.connection();
        Connection describing = (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    Object result = method.invoke(connection, arguments);
                    if (result instanceof PreparedStatement statement) {
                        assertThat(statement.getParameterMetaData().getParameterCount())
                                .isPositive();
                    }
                    return result;
                });
        try (Session session = new Session(describing)) {
            for (int i = 0; i < CALLS; i++) {
                session.call(request("order-42"), "1");
                assertThat(session.query("show statement_timeout")).isEqualTo("0");
                session.commit();
            }
            assertThat(session.claim(request("order-42"))).isEqualTo(new Claim.Succeeded("1"));
        }
    }

    @Test
    void aConnectionInAutocommitModeStaysSo() throws Exception {
        try (Connection connection = database.connection()) {
            assertThat(new AdvisoryLocks().take(connection, 42, Duration.ofSeconds(1)))
                    .isEmpty();

            assertThat(connection.getAutoCommit()).isTrue();
            assertThat(connection.unwrap(BaseConnection.class).getTransactionState())
                    .isEqualTo(org.postgresql.core.TransactionState.IDLE);
        }
    }

    @Test
    void aConnectionThatDoesNotShowItsDriverIsBegunByThat() throws Exception {
        Connection connection = database.connection();
        Connection opaque = (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) ->
                        method.getName().equals("isWrapperFor") ? false : method.invoke(connection, arguments));
        try (Session session = new Session(opaque)) {
            session.claimGranted(request("order-42"));

            assertThat(connection.unwrap(BaseConnection.class).getTransactionState())
                    .isEqualTo(org.postgresql.core.TransactionState.OPEN);
        }
    }

    @Test
    void aClaimIsUndoneByRollback() throws Exception {
        try (Session session = open("")) {
            for (int i = 0; i < CALLS; i++) {
                session.claimGranted(request("order-42")).rollback();
            }
        }
    }

    @Test
    void aClaimThatTimesOutLeavesATransactionToRollBack() throws Exception {
        try (Session holder = open("");
                Session waiter = open("")) {
            for (int i = 0; i < CALLS; i++) {
                ClaimRequest request = waitingAtMost(Duration.ofMillis(50), "order-" + i);
                holder.claimGranted(request);

                assertThat(waiter.claim(request)).isInstanceOf(Claim.InProgress.class);

                assertThat(waiter.state()).isEqualTo(TransactionState.ABORTED);
                assertThat(autoCommitOf(waiter)).isFalse();
                waiter.rollback();
                holder.rollback();
                waiter.claimGranted(request).rollback();
            }
        }
    }

    @Test
    void aReadOnlyTransactionStaysOne() throws Exception {
        try (Session session = open("")) {
            session.connection().setReadOnly(true);

            assertThatThrownBy(() -> session.claim(request("order-42")))
                    .rootCause()
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            failure -> assertThat(failure.getSQLState()).isEqualTo("25006"));

            session.rollback();
            session.connection().setReadOnly(false);
            session.claimGranted(request("order-42")).commit();
        }
    }

    @Test
    void theIsolationLevelOfTheConnectionHolds() throws Exception {
        try (Session session = open("")) {
            session.connection().setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
            session.claimGranted(request("order-42"));

            assertThat(session.query("show transaction_isolation")).isEqualTo("serializable");
        }
    }

    @Test
    void aConnectionThatIsLostMeanwhileSaysSo() throws Exception {
        try (CuttingProxy proxy = CuttingProxy.of(database);
                Session session = new Session(
                        DriverManager.getConnection(proxy.jdbcUrl(), database.username(), database.password()))) {
            proxy.cutNext("on conflict (request_id)", CuttingProxy.Point.BEFORE_ITS_ANSWER_IS_DELIVERED);

            assertThatThrownBy(() -> session.claim(request("order-42")))
                    .rootCause()
                    .isInstanceOf(IOException.class);

            assertThat(proxy.cuts()).isOne();
        }
    }

    private Session open(String driverSetting) throws SQLException {
        return new Session(EachDriverMode.Connections.open(counter.jdbcUrl(), database, driverSetting));
    }

    private static boolean autoCommitOf(Session session) throws SQLException {
        return session.connection().unwrap(BaseConnection.class).getAutoCommit();
    }
}
