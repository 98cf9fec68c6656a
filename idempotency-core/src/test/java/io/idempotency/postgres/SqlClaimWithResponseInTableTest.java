package io.idempotency.postgres;

import java.sql.SQLException;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** The functions of a claim give the same where responses are in a table of their own. */
@PostgresTest
class SqlClaimWithResponseInTableTest extends SqlClaimTest {

    private final TestDatabase database;

    private final JdbcTemplate admin;

    SqlClaimWithResponseInTableTest(TestDatabase database) {
        super(database);
        this.database = database;
        this.admin = database.jdbc();
    }

    @BeforeAll
    static void partition(TestDatabase database) {
        ResponsesInTable.partition(database.jdbc());
    }

    @Override
    void forgetResponses() {
        admin.update("update idempotency.idempotency_request set response_kept_until = now() - interval '1 minute'");
        admin.update("delete from idempotency.idempotency_response");
    }

    @Override
    String whatIsKnownOfTheEffect() {
        return "cannot be told from";
    }

    @Test
    void responseIsKeptUntilItsTimeAndNotInItsRow() throws SQLException {
        try (SqlSession session = new SqlSession(database.connection())) {
            session.succeed("short", session.claimWithShortLivedResponse("short"), "1");
            session.succeed("long", session.claim("long"), "2");
            session.commit();
        }

        assertThat(admin.queryForList("""
                select idempotency_key || ' ' || (r.expires_at - s.expires_at)::text || ' ' || s.response_body::text
                from idempotency.idempotency_request as r
                join idempotency.idempotency_response as s
                    on s.request_id = r.request_id and s.expires_at = r.response_kept_until
                where r.response_body is null and r.response_expires_at is null
                order by 1""", String.class)).containsExactly("long 00:00:00 2", "short 6 days 1");
    }

    /** Otherwise others would be made for it, however long nobody has wanted any. */
    @Test
    void responseBehindThePartitionsStaysInItsRow() throws SQLException {
        try (SqlSession session = new SqlSession(database.connection())) {
            String token = session.query("select claim_token from idempotency.idempotency_claim("
                    + "'payments', 'order-1', sha256('payload'), 'test', retention => interval '30 days')");
            session.execute("select idempotency.idempotency_succeed('payments', 'order-1', '" + token
                    + "', response_body => '7')");

            assertThat(places(session)).isEqualTo("1 in rows, 0 apart");
        }
    }

    @Test
    void responseStaysInItsRowWhereOnlyTheLastPartitionIsLeft() throws SQLException {
        try (SqlSession session = new SqlSession(database.connection())) {
            session.execute("""
                    do $$
                    declare
                        leaf regclass;
                    begin
                        for leaf in
                            select inhrelid from pg_inherits
                            where inhparent = 'idempotency.idempotency_response'::regclass
                                and inhrelid <> 'idempotency.idempotency_response_rest'::regclass
                        loop
                            execute format('drop table %s', leaf);
                        end loop;
                    end
                    $$""");
            session.succeed("order-1", session.claim("order-1"), "7");

            assertThat(places(session)).isEqualTo("1 in rows, 0 apart");
        }
    }

    @Test
    void responseStaysInItsRowWhereTheCallerMayNotWriteToTheTable() throws SQLException {
        String role = "worker_" + database.name();
        try (SqlSession session = new SqlSession(database.connection())) {
            session.execute("""
                    create role %1$s;
                    grant usage on schema idempotency to %1$s;
                    grant select, insert, update on idempotency.idempotency_request to %1$s;
                    set local role %1$s""".formatted(role));
            session.succeed("order-1", session.claim("order-1"), "7");

            assertThat(session.claim("order-1").body()).isEqualTo("7");
            session.execute("reset role");
            assertThat(places(session)).isEqualTo("1 in rows, 0 apart");
        }
    }

    @Test
    void whatHasNoResponseTakesNoRowOfItsOwn() throws SQLException {
        try (SqlSession session = new SqlSession(database.connection())) {
            session.succeed("order-1", session.claim("order-1"), "null");

            assertThat(places(session)).isEqualTo("1 in rows, 0 apart");
        }
    }

    private static String places(SqlSession session) throws SQLException {
        return session.query("""
                select count(response_body) || ' in rows, '
                    || (select count(*) from idempotency.idempotency_response) || ' apart'
                from idempotency.idempotency_request
                where response_kept_until is null""");
    }

    /** Committed by a method of Java's that ended its transaction itself, which SQL never leaves in this form. */
    @Test
    void claimThatWasCommittedWithoutItsResponseIsRefusedAndShown() throws SQLException {
        try (SqlSession sql = new SqlSession(database.connection());
                Session java = new Session(database.connection(), MigratedTables.SCHEMA, true)) {
            java.claimGranted(Requests.request("order-1")).commit();
            java.call(Requests.request("order-2"), "2");

            SqlClaimTest.assertRefused("P4012", "nobody knows", () -> sql.claim("order-1"));
        }
        assertThat(admin.queryForList(
                        "select idempotency_key || ' ' || kind from idempotency.idempotency_stale", String.class))
                .containsExactly("order-1 no_lease");
        assertThat(admin.queryForList(
                        "select concat_ws(' ', requests, processing, succeeded) from idempotency.idempotency_by_scope",
                        String.class))
                .containsExactly("2 1 1");
    }

    @Test
    void responseGoesToTheArchiveWithItsKey() throws SQLException {
        try (SqlSession session = new SqlSession(database.connection())) {
            session.call("order-1", "{\"a\":  1}");
        }
        admin.update("update idempotency.idempotency_request set expires_at = now() - interval '1 second'");

        admin.execute("call idempotency.idempotency_purge(10, '1 ms', archive => true)");

        assertThat(admin.queryForList("""
                select concat_ws(' ', response_body, result_ref_type, result_ref_id, response_kept_until is null)
                from idempotency.idempotency_request_archive""", String.class)).containsExactly("{\"a\":  1} order order-1 t");
    }
}
