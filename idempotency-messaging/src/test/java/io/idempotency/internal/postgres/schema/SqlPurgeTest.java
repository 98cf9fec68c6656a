package io.idempotency.internal.postgres.schema;

import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.internal.postgres.Requests;
import io.idempotency.internal.postgres.Session;
import io.idempotency.internal.postgres.SqlRoles;
import io.idempotency.internal.postgres.SqlSession;
import io.idempotency.internal.retention.ExpiringTable;
import io.idempotency.internal.retention.PurgeLease;
import io.idempotency.test.Backends;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.NotOnCitus;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The purge as a procedure, beside that of the library. */
@Tag("citus")
@PostgresTest
class SqlPurgeTest {

    private static final String INSERT_EXPIRED = """
            insert into idempotency.processed_message (consumer, message_id, processed_at, expires_at)
            select 'c', i::text, now() - interval '2 days', now() - interval '1 day' + i * interval '1 second'
            from generate_series(1, %d) as i""";

    private final TestDatabase database;

    private final JdbcTemplate admin;

    SqlPurgeTest(TestDatabase database) {
        this.database = database;
        this.admin = database.jdbc();
    }

    @BeforeAll
    static void migrate(TestDatabase database) {
        MigratedTables.withFunctionsIn(database);
    }

    @BeforeEach
    void clear() {
        admin.execute("""
                truncate idempotency.idempotency_request, idempotency.processed_message, idempotency.message_failure,
                    idempotency.outbox_event, idempotency.purge_lease, idempotency.processed_message_archive""");
    }

    @Test
    void deletesWhatHasExpiredInBatchesAndNothingElse() throws SQLException {
        admin.execute(INSERT_EXPIRED.formatted(25));
        admin.execute("""
                insert into idempotency.processed_message (consumer, message_id, processed_at, expires_at)
                values ('c', 'young', now(), now() + interval '1 day');
                insert into idempotency.message_failure
                select 'c', 'm', null, 1, 'c', 'm', now(), now(), now() - interval '1 second'""");
        try (Session session = new Session(database.connection())) {
            session.call(Requests.request("old"), "1");
            session.claim(Requests.leased("held"));
            session.commit();
        }
        admin.update("update idempotency.idempotency_request set expires_at = now() - interval '1 second'");

        assertThat(purge("10, '1 ms'")).isEqualTo(27);

        assertThat(admin.queryForList("select message_id from idempotency.processed_message", String.class))
                .containsExactly("young");
        assertThat(admin.queryForList("select idempotency_key from idempotency.idempotency_request", String.class))
                .as("a lease is never forgotten")
                .containsExactly("held");
        assertThat(admin.queryForList("select message_id from idempotency.message_failure"))
                .isEmpty();
    }

    @Test
    void warnsOfCallsThatNobodyHasFinishedAfterTheirSteps() throws SQLException {
        try (Session session = new Session(database.connection())) {
            for (String key : List.of("captured", "vanished", "done")) {
                session.claim(Requests.leased(key));
            }
            session.commit();
        }
        admin.update("""
                update idempotency.idempotency_request
                set steps = '[{"name": "capture"}]', expires_at = now() - interval '1 second',
                    locked_until = now() - interval '1 hour', status = case idempotency_key
                        when 'captured' then 'failed_retryable' when 'done' then 'succeeded' else status end""");

        try (Connection connection = SqlRoles.janitor(database);
                Statement statement = connection.createStatement()) {
            statement.execute("call idempotency.idempotency_purge(10)");

            assertThat(statement.getWarnings().getMessage())
                    .isEqualTo("The purge has deleted half-done calls of the scopes: payments");
        }
    }

    /** No repeat may come any more, as after a success. What committed in its middle stays until somebody has looked. */
    @Test
    void deletesALeaseThatHasExpiredWhenItsRetentionIsOver() throws SQLException {
        try (Session session = new Session(database.connection())) {
            for (String key : List.of("vanished", "within-its-retention", "held")) {
                session.claim(Requests.leased(key));
            }
            session.claim(Requests.request("abandoned"));
            session.commit();
        }
        admin.update("update idempotency.idempotency_request set locked_until = now() - interval '1 second'"
                + " where idempotency_key in ('vanished', 'within-its-retention')");
        admin.update("update idempotency.idempotency_request set expires_at = now() - interval '1 second'"
                + " where idempotency_key <> 'within-its-retention'");

        assertThat(purge("10")).isEqualTo(1);
        assertThat(admin.queryForList(
                        "select idempotency_key from idempotency.idempotency_request order by 1", String.class))
                .containsExactly("abandoned", "held", "within-its-retention");

        admin.update("update idempotency.idempotency_request set expires_at = now() - interval '1 second',"
                + " locked_until = now() - interval '1 second' where idempotency_key = 'held'");
        assertThat(MigratedTables.storage(database.dataSource(), MigratedTables.SCHEMA)
                        .purgeStore("java", false)
                        .begin(Duration.ofMinutes(1))
                        .tables()
                        .get(0)
                        .deleteExpired(10))
                .hasValue(1);
    }

    @Test
    void movesToTheArchiveIfAskedTo() throws SQLException {
        admin.execute(INSERT_EXPIRED.formatted(25));

        assertThat(purge("10, '1 ms', archive => true")).isEqualTo(25);

        assertThat(rows()).isZero();
        assertThat(admin.queryForObject(
                        "select count(*) from idempotency.processed_message_archive where archived_at is not null",
                        Integer.class))
                .isEqualTo(25);
    }

    @Test
    void movesToTheArchiveFromATableThatIsMadeReadyForPartitions() throws SQLException {
        admin.execute("alter table idempotency.processed_message"
                + " add column stored_at timestamptz not null default '-infinity'");
        try {
            admin.execute(INSERT_EXPIRED.formatted(25));

            assertThat(purge("10, '1 ms', archive => true")).isEqualTo(25);

            assertThat(admin.queryForObject(
                            "select count(*) from idempotency.processed_message_archive", Integer.class))
                    .isEqualTo(25);
        } finally {
            admin.execute("alter table idempotency.processed_message drop column stored_at");
        }
    }

    @Test
    void clearsResponsesThatGoBeforeTheirKeys() throws SQLException {
        try (SqlSession session = new SqlSession(SqlRoles.worker(database))) {
            for (String key : List.of("a", "b", "c")) {
                session.succeed(key, session.claimWithShortLivedResponse(key), "{\"n\": 1}");
            }
            session.fail("d", session.claimWithShortLivedResponse("d"), false).commit();
        }
        admin.update("""
                update idempotency.idempotency_request set response_expires_at = now() - interval '1 second'
                where idempotency_key <> 'c' and response_expires_at is not null""");

        assertThat(purge("1, '1 ms'")).isEqualTo(2);

        assertThat(admin.queryForList("""
                        select idempotency_key || ' ' || (response_body is not null) || ' ' || (response_expires_at is not null)
                        from idempotency.idempotency_request
                        order by idempotency_key""", String.class))
                .containsExactly("a false false", "b false false", "c true true", "d false false");
        try (SqlSession session = new SqlSession(SqlRoles.worker(database))) {
            SqlClaimTest.assertRefused("P4011", "has succeeded", () -> session.claim("a"));
        }
    }

    /** A batch in the way of the third one: the first two are committed. */
    @NotOnCitus
    @Test
    @Tag("race")
    void commitsEachBatch() throws Exception {
        admin.execute(INSERT_EXPIRED.formatted(25));
        admin.execute("create function hold() returns trigger language plpgsql as"
                + " 'begin perform pg_advisory_xact_lock(42); return old; end';"
                + " create trigger hold before delete on idempotency.processed_message for each row"
                + " when (old.message_id = '21') execute function hold()");
        try (Session other = new Session(database.connection());
                Connection connection = SqlRoles.janitor(database)) {
            other.execute("select pg_advisory_xact_lock(42)");
            ConcurrentCalls<Integer> purging = ConcurrentCalls.start(List.of(() -> purge(connection, "10, '1 ms'")));
            database.backends().awaitBlocked(connection);

            assertThat(rows()).isEqualTo(5);

            other.rollback();
            assertThat(purging.await().requireAllSucceeded()).containsExactly(25);
        } finally {
            admin.execute("drop function hold cascade");
        }
    }

    /** What changes in a pause would be changed behind the snapshot of the next batch. */
    @ParameterizedTest
    @ValueSource(strings = {"repeatable read", "serializable"})
    @Tag("race")
    @Tag("full")
    void worksWhateverTheDefaultIsolation(String isolation) throws Exception {
        admin.execute(INSERT_EXPIRED.formatted(20));
        try (Connection connection = SqlRoles.janitor(database);
                Statement statement = connection.createStatement()) {
            statement.execute("set default_transaction_isolation = '" + isolation + "'");
            ConcurrentCalls<Integer> purging = ConcurrentCalls.start(List.of(() -> purge(connection, "10, '5 s'")));
            Awaitility.await().pollInterval(Duration.ofMillis(10)).until(() -> rows() == 10);

            admin.update("update idempotency.processed_message set expires_at = 'infinity' where message_id = '11'");

            assertThat(purging.await().requireAllSucceeded()).containsExactly(19);
            assertThat(rows()).isOne();
        }
    }

    @Test
    void leavesItsTurnToTheOthersWhenItHasEnded() throws SQLException {
        admin.execute(INSERT_EXPIRED.formatted(5));
        purge("10");
        admin.execute(INSERT_EXPIRED.formatted(5));

        assertThat(messagesOf(javaLease()).deleteExpired(10)).hasValue(5);
    }

    @Test
    void doesNothingWhileTheLibraryPurges() throws SQLException {
        admin.execute(INSERT_EXPIRED.formatted(10));
        PurgeLease lease = javaLease();
        messagesOf(lease).deleteExpired(4);

        assertThat(purge("10")).as("nothing is told").isNull();
        assertThat(rows()).isEqualTo(6);

        lease.release();
        assertThat(purge("10")).isEqualTo(6);
    }

    @Test
    @Tag("race")
    void theLibraryDoesNothingWhileItPurges() throws Exception {
        admin.execute(INSERT_EXPIRED.formatted(25));
        try (Connection connection = database.connection()) {
            ConcurrentCalls<Integer> purging = ConcurrentCalls.start(List.of(() -> purge(connection, "10, '10 s'")));
            Awaitility.await().pollInterval(Duration.ofMillis(10)).until(() -> rows() == 15);

            assertThat(messagesOf(javaLease()).deleteExpired(10)).isEqualTo(OptionalInt.empty());

            database.backends().cancel(Backends.pidOf(connection));
            assertThat(purging.await().failures())
                    .singleElement()
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            ended -> assertThat(ended.getSQLState()).isEqualTo("57014"));
            assertThat(rows()).isEqualTo(15);
        }
    }

    @Test
    void isRefusedInATransaction() throws SQLException {
        admin.execute(INSERT_EXPIRED.formatted(5));
        admin.execute("""
                create function purge() returns void language plpgsql as
                'declare deleted bigint; begin call idempotency.idempotency_purge(deleted => deleted); end'""");
        try (SqlSession session = new SqlSession(SqlRoles.janitor(database))) {
            SqlClaimTest.assertRefused(
                    "P4040", "Nothing was deleted", () -> session.execute("call idempotency.idempotency_purge()"));
            session.rollback();
            SqlClaimTest.assertRefused("P4040", "Nothing was deleted", () -> session.execute("select purge()"));
        }
        try (Connection connection = database.connection();
                Statement statement = connection.createStatement()) {
            SqlClaimTest.assertRefused("P4040", "Nothing was deleted", () -> statement.execute("""
                    do $$
                    declare
                        deleted bigint;
                    begin
                        call idempotency.idempotency_purge(deleted => deleted);
                    exception when division_by_zero then
                        null;
                    end
                    $$"""));
        }
        assertThat(rows()).isEqualTo(5);
    }

    /** The parts of the purge are called with the rights of the owner, so they keep to its rules themselves. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "'processed_message', '-infinity', 'infinity', 10, false, '1 s'",
                "'processed_message', '-infinity', now() + interval '1 minute', 10, false, '1 s'",
                "'mine', '-infinity', now(), 10, false, '1 s'",
                "'purge_lease', '-infinity', now(), 10, false, '1 s'",
                "'processed_message', '-infinity', now(), 0, false, '1 s'",
                "'processed_message', '-infinity', now(), null, false, '1 s'",
                "'processed_message', '-infinity', now(), 10, false, '1 day'"
            })
    void aPartOfItDoesNoMoreThanItself(String arguments) throws SQLException {
        admin.execute("create table if not exists idempotency.mine as select now() - interval '1 day' as expires_at");
        try (SqlSession session = new SqlSession(SqlRoles.janitor(database))) {
            SqlClaimTest.assertRefused(
                    "P4002",
                    "Nothing was written",
                    () -> session.query(
                            "select idempotency.idempotency_purge_batch(gen_random_uuid(), " + arguments + ")"));
        } finally {
            admin.execute("drop table idempotency.mine");
        }
    }

    @Test
    void anArchiveThatDoesNotExistIsMissed() throws SQLException {
        admin.execute("alter table idempotency.message_failure_archive rename to elsewhere");
        try {
            assertThatThrownBy(() -> purge("10, '1 ms', archive => true"))
                    .hasMessageContaining("There is no table message_failure_archive")
                    .hasMessageContaining("idempotency.purge.archive = true");
        } finally {
            admin.execute("alter table idempotency.elsewhere rename to message_failure_archive");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "100001", "null", "10, '-1 s'", "10, '61 min'", "10, null"})
    void refusesNonsense(String arguments) {
        assertThatThrownBy(() -> purge(arguments))
                .isInstanceOfSatisfying(
                        SQLException.class,
                        refused -> assertThat(refused.getSQLState()).isEqualTo("P4002"));
    }

    private Integer purge(String arguments) throws SQLException {
        try (Connection connection = SqlRoles.janitor(database)) {
            return purge(connection, arguments);
        }
    }

    private static Integer purge(Connection connection, String arguments) throws SQLException {
        try (CallableStatement call = connection.prepareCall("call idempotency.idempotency_purge(" + arguments + ")");
                ResultSet row = call.executeQuery()) {
            row.next();
            return row.getObject(1) == null ? null : row.getInt(1);
        }
    }

    private PurgeLease javaLease() {
        return MigratedTables.storage(database.dataSource(), MigratedTables.SCHEMA)
                .purgeStore("java", false)
                .begin(Duration.ofMinutes(5));
    }

    private static ExpiringTable messagesOf(PurgeLease lease) {
        return lease.tables().stream()
                .filter(table -> table.name().equals("processed_message"))
                .findFirst()
                .orElseThrow();
    }

    private int rows() {
        return admin.queryForObject("select count(*) from idempotency.processed_message", Integer.class);
    }
}
