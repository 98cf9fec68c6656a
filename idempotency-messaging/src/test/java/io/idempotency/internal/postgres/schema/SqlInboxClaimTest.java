package io.idempotency.internal.postgres.schema;

import java.sql.SQLException;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.inbox.DeliveryOrder;
import io.idempotency.internal.inbox.InboxResult;
import io.idempotency.internal.postgres.Deliveries;
import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.internal.postgres.SqlRoles;
import io.idempotency.internal.postgres.SqlSession;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.NotOnCitus;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;
import io.idempotency.test.TestSize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Messages that are received by SQL, by Java, or by both. */
@Tag("citus")
@PostgresTest
class SqlInboxClaimTest {

    private static final int MESSAGES = TestSize.pick(100, 2_000);

    private final TestDatabase database;

    private final JdbcTemplate admin;

    SqlInboxClaimTest(TestDatabase database) {
        this.database = database;
        this.admin = database.jdbc();
    }

    @BeforeAll
    static void migrate(TestDatabase database) {
        MigratedTables.withFunctionsIn(database);
        database.jdbc().execute("create table effect (id text not null)");
    }

    @AfterEach
    void clear() {
        admin.execute("""
                truncate idempotency.processed_message, idempotency.message_failure, idempotency.stream_position, effect""");
    }

    @Test
    void messageIsConsumedOnce() throws SQLException {
        try (SqlSession session = open()) {
            assertThat(session.consume("m-1")).isTrue();
            session.rollback();
            assertThat(session.consume("m-1")).as("after a rollback").isTrue();
            session.commit();
            assertThat(session.consume("m-1")).isFalse();
            assertThat(session.consume("m-2")).isTrue();
        }
    }

    @Test
    void javaKnowsWhatSqlHasConsumedAndSqlWhatJavaHas() throws SQLException {
        try (SqlSession session = open();
                Deliveries deliveries = new Deliveries(database.dataSource())) {
            session.consume("m-1");
            session.commit();
            assertThat(deliveries.claimAndCommit(Deliveries.message("m-1"))).isEqualTo(InboxResult.Kind.DUPLICATE);

            deliveries.claimAndCommit(Deliveries.message("m-2"));
            assertThat(session.consume("m-2")).isFalse();
        }
    }

    @Test
    void messageWithAnotherPayloadIsRefusedByBoth() throws SQLException {
        try (SqlSession session = open();
                Deliveries deliveries = new Deliveries(database.dataSource())) {
            deliveries.claimAndCommit(Deliveries.messageWithPayload("m-1", "payload"));
            String consume = "select idempotency.idempotency_consume('invoices', 'm-1', '\\x%s', hash_version => %d)";

            assertThat(session.query(consume.formatted(hex("payload"), 1))).isEqualTo("f");
            assertThat(session.query(consume.formatted(hex("other"), 2)))
                    .as("hashed in another way")
                    .isEqualTo("f");
            SqlClaimTest.assertRefused("P4020", "was not", () -> session.query(consume.formatted(hex("other"), 1)));
            session.rollback();

            session.query("select idempotency.idempotency_consume('invoices', 'm-2', '\\x%s')".formatted(hex("a")));
            session.commit();
            assertThat(deliveries.claimAndCommit(Deliveries.messageWithPayload("m-2", "b")))
                    .isEqualTo(InboxResult.Kind.CONFLICT);
        }
    }

    private static String hex(String payload) {
        return HexFormat.of().formatHex(SqlSession.hash(payload));
    }

    @Test
    void failuresOfAMessageAreForgottenWithItsSuccess() throws SQLException {
        try (SqlSession session = open();
                Deliveries deliveries = new Deliveries(database.dataSource())) {
            deliveries.recordFailureAndCommit(Deliveries.message("m-1"), "E", "failed");

            session.consume("m-1");
            session.rollback();
            assertThat(failures()).isOne();

            session.consume("m-1");
            session.commit();
            assertThat(failures()).isZero();
        }
    }

    /** The snapshot is older than the failure, which would stay behind. */
    @NotOnCitus
    @ParameterizedTest
    @ValueSource(strings = {"repeatable read", "serializable"})
    @Tag("race")
    void failureThatASnapshotDoesNotShowIsNotLeftBehind(String isolation) throws SQLException {
        try (SqlSession session = open();
                Deliveries deliveries = new Deliveries(database.dataSource())) {
            session.execute("set transaction isolation level " + isolation).query("select 1");
            deliveries.recordFailureAndCommit(Deliveries.message("m-1"), "E", "failed");

            assertThatThrownBy(() -> session.consume("m-1"))
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            failure -> assertThat(failure.getSQLState()).isEqualTo("40001"));
            session.rollback();
            session.execute("set transaction isolation level " + isolation);
            assertThat(session.consume("m-1")).isTrue();
            session.commit();

            assertThat(failures()).isZero();
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            P4001 | idempotency_consume('', 'm')                                      | The consumer is blank
            P4001 | idempotency_consume('c', null)                                    | The message id is missing
            P4001 | idempotency_consume('c', repeat('m', 256))                        | The message id has 256 characters
            P4001 | idempotency_consume('c', 'm', message_type => '')                 | The message type is blank
            P4002 | idempotency_consume('c', 'm', '\\x00')                            | The hash of the payload must have 32 bytes
            P4002 | idempotency_consume('c', 'm', retention => '-1 day')              | The retention must be at least
            P4001 | idempotency_advance('c', '', 1)                                   | The stream is blank
            P4002 | idempotency_advance('c', 's', null)                               | The version is missing
            P4001 | idempotency_advance_strictly('', 's', 1)                          | The consumer is blank
            P4002 | idempotency_advance_strictly('c', 's', 1, null)                   | The first version is missing
            """)
    void malformedArgumentsAreRefused(String state, String call, String message) throws SQLException {
        try (SqlSession session = open()) {
            assertThatThrownBy(() -> session.query("select idempotency." + call))
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            refused -> assertThat(refused.getSQLState()).isEqualTo(state))
                    .hasMessageContaining(message);
        }
    }

    @Test
    void streamMovesForwardOnly() throws SQLException {
        try (SqlSession session = open()) {
            assertThat(advance(session, 5)).isTrue();
            assertThat(advance(session, 5)).isFalse();
            assertThat(advance(session, 4)).isFalse();
            assertThat(advance(session, 9)).isTrue();
        }
    }

    private static boolean advance(SqlSession session, long version) throws SQLException {
        return session.query("select idempotency.idempotency_advance('invoices', 's', %d)".formatted(version))
                .equals("t");
    }

    @Test
    void strictStreamMovesByOne() throws SQLException {
        try (SqlSession session = open()) {
            assertThat(advanceStrictly(session, 0)).as("before its beginning").isFalse();
            assertGap(session, 2, 1);
            assertThat(advanceStrictly(session, 1)).isTrue();
            assertThat(advanceStrictly(session, 1)).isFalse();
            assertThat(advanceStrictly(session, 2)).isTrue();
            session.commit();
            assertGap(session, 4, 3);
        }
    }

    private static boolean advanceStrictly(SqlSession session, long version) throws SQLException {
        return session.query("select idempotency.idempotency_advance_strictly('invoices', 's', %d)".formatted(version))
                .equals("t");
    }

    private static void assertGap(SqlSession session, long version, long expected) throws SQLException {
        SqlClaimTest.assertRefused(
                "P4021", "Version " + expected + " is expected next", () -> advanceStrictly(session, version));
        session.rollback();
    }

    @Test
    void streamIsFollowedByBoth() throws SQLException {
        try (SqlSession session = open();
                Deliveries deliveries = new Deliveries(database.dataSource())) {
            advanceStrictly(session, 1);
            session.commit();
            assertThat(deliveries.claimAndCommit(Deliveries.event("s", 2, DeliveryOrder.STRICT)))
                    .isEqualTo(InboxResult.Kind.NEW);

            assertThat(advanceStrictly(session, 2)).isFalse();
            assertThat(advanceStrictly(session, 3)).isTrue();
            session.commit();
            assertThat(deliveries.claimAndCommit(Deliveries.event("s", 3, DeliveryOrder.MONOTONIC)))
                    .isEqualTo(InboxResult.Kind.LATE);
        }
    }

    @Test
    @Tag("race")
    void eachMessageTakesEffectOnceWhoeverReceivesIt() {
        int receivers = 8;
        CyclicBarrier nextMessage = new CyclicBarrier(receivers);
        List<Integer> effects = ConcurrentCalls.run(
                        receivers,
                        worker -> worker % 2 == 0 ? receiveAllBySql(nextMessage) : receiveAllByJava(nextMessage))
                .requireAllSucceeded();

        assertThat(effects.stream().mapToInt(Integer::intValue).sum()).isEqualTo(MESSAGES);
        assertThat(effects.get(0) + effects.get(2) + effects.get(4) + effects.get(6))
                .as("received by SQL")
                .isBetween(1, MESSAGES - 1);
        assertThat(admin.queryForObject("select count(*) from effect", Integer.class))
                .isEqualTo(MESSAGES);
        assertThat(admin.queryForObject("select count(distinct id) from effect", Integer.class))
                .isEqualTo(MESSAGES);
    }

    private int receiveAllBySql(CyclicBarrier nextMessage) throws Exception {
        int effects = 0;
        try (SqlSession session = new SqlSession(SqlRoles.worker(database))) {
            for (int i = 0; i < MESSAGES; i++) {
                nextMessage.await(30, TimeUnit.SECONDS);
                if (session.consume("m-" + i)) {
                    session.execute("insert into effect values ('m-" + i + "')");
                    effects++;
                }
                session.commit();
            }
        }
        return effects;
    }

    private int receiveAllByJava(CyclicBarrier nextMessage) throws Exception {
        int effects = 0;
        try (Deliveries deliveries = new Deliveries(database.connection())) {
            for (int i = 0; i < MESSAGES; i++) {
                nextMessage.await(30, TimeUnit.SECONDS);
                if (deliveries.claim(Deliveries.message("m-" + i)).kind() == InboxResult.Kind.NEW) {
                    deliveries.execute("insert into effect values ('m-" + i + "')");
                    effects++;
                }
                deliveries.commit();
            }
        }
        return effects;
    }

    /** Each version once and in order, whoever moves the stream: a gap is tried again until its turn comes. */
    @Test
    @Tag("race")
    void strictStreamIsInOrderWithManyFollowers() {
        int versions = TestSize.pick(40, 500);
        ConcurrentCalls.run(6, () -> {
                    try (SqlSession session = new SqlSession(SqlRoles.worker(database))) {
                        for (int version = 1; version <= versions; ) {
                            try {
                                if (advanceStrictly(session, version)) {
                                    session.execute("insert into effect values ('" + version + "')");
                                }
                                session.commit();
                                version++;
                            } catch (SQLException gap) {
                                assertThat(gap.getSQLState()).isEqualTo("P4021");
                                session.rollback();
                            }
                        }
                    }
                })
                .requireAllSucceeded();

        assertThat(admin.queryForObject("select string_agg(id, ' ' order by ctid) from effect", String.class))
                .isEqualTo(String.join(
                        " ",
                        IntStream.rangeClosed(1, versions)
                                .mapToObj(Integer::toString)
                                .toList()));
    }

    private SqlSession open() throws SQLException {
        return new SqlSession(SqlRoles.worker(database));
    }

    private int failures() {
        return admin.queryForObject("select count(*) from idempotency.message_failure", Integer.class);
    }
}
