package io.idempotency.internal.postgres.schema;

import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.util.PSQLException;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.internal.postgres.Session;
import io.idempotency.internal.postgres.SqlRoles;
import io.idempotency.internal.postgres.SqlSession;
import io.idempotency.internal.postgres.SqlSession.SqlClaim;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.NotOnCitus;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

/** What the functions of a claim give, and with which SQLSTATE they refuse. */
@Tag("citus")
@PostgresTest
class SqlClaimTest {

    private final TestDatabase database;

    private final JdbcTemplate admin;

    SqlClaimTest(TestDatabase database) {
        this.database = database;
        this.admin = database.jdbc();
    }

    @BeforeAll
    static void migrate(TestDatabase database) {
        MigratedTables.withFunctionsIn(database);
    }

    @AfterEach
    void clear() {
        admin.execute("truncate idempotency.idempotency_request");
    }

    @Test
    void unknownKeyIsANewClaim() throws SQLException {
        try (SqlSession session = open()) {
            SqlClaim claim = session.claim("order-1");

            assertThat(claim.kind()).isEqualTo("new_claim");
            assertThat(claim.attempt()).isOne();
            assertThat(claim.token()).isNotNull();
            assertThat(claim.lockedUntil()).as("without a lease").isNull();
        }
    }

    @Test
    void successIsReplayed() throws SQLException {
        try (SqlSession session = open()) {
            session.call("order-1", "{\"b\": 1E+2, \"a\": 1}");

            assertThat(session.claim("order-1"))
                    .isEqualTo(new SqlClaim(
                            "replay_success",
                            "{\"b\": 1E+2, \"a\": 1}",
                            "order",
                            "order-1",
                            1,
                            null,
                            null,
                            null,
                            null));
        }
    }

    @Test
    void replayWritesNothing() throws SQLException {
        try (SqlSession session = open()) {
            session.call("order-1", "1");

            session.claim("order-1");

            assertThat(session.query("select pg_current_xact_id_if_assigned()")).isNull();
        }
    }

    @Test
    void responseThatIsNullIsReplayedAsJsonNull() throws SQLException {
        try (SqlSession session = open()) {
            SqlClaim claim = session.claim("order-1");
            session.execute(
                    "select idempotency.idempotency_succeed('payments', 'order-1', '%s')".formatted(claim.token()));

            assertThat(session.claim("order-1").body()).isEqualTo("null");
        }
    }

    @Test
    void activeLeaseIsToldAndNotTaken() throws SQLException {
        try (SqlSession holder = open();
                SqlSession other = open()) {
            SqlClaim held = holder.lease("order-1", 60);
            holder.commit();

            SqlClaim met = other.lease("order-1", 60);

            assertThat(met.kind()).isEqualTo("processing_active");
            assertThat(met.token()).isNull();
            assertThat(met.lockedUntil()).isEqualTo(held.lockedUntil()).isNotNull();
        }
    }

    @Test
    void expiredLeaseIsTakenOverAndItsHolderCanNotComplete() throws SQLException {
        try (SqlSession old = open();
                SqlSession next = open()) {
            SqlClaim lost = old.lease("order-1", 60);
            old.commit();
            expireLeases();

            SqlClaim taken = next.lease("order-1", 60);
            next.commit();

            assertThat(taken.kind()).isEqualTo("processing_stale");
            assertThat(taken.attempt()).isEqualTo(2);
            assertThat(taken.token()).isNotNull().isNotEqualTo(lost.token());
            assertRefused("P4013", "attempt 2", () -> old.succeed("order-1", lost, "1"));
            old.rollback();
            assertRefused("P4013", "attempt 2", () -> old.fail("order-1", lost, true));
            old.rollback();
            next.succeed("order-1", taken, "2").commit();
            assertThat(old.claim("order-1").body()).isEqualTo("2");
        }
    }

    @Test
    void holderOfAnExpiredLeaseThatNobodyTookCompletes() throws SQLException {
        try (SqlSession session = open()) {
            SqlClaim claim = session.lease("order-1", 60);
            session.commit();
            expireLeases();

            session.succeed("order-1", claim, "1").commit();

            assertThat(session.claim("order-1").body()).isEqualTo("1");
        }
    }

    @Test
    void retryableFailureIsClaimedAgainWithAnyPayload() throws SQLException {
        try (SqlSession session = open()) {
            SqlClaim failed = session.claim("order-1");
            session.fail("order-1", failed, true).commit();

            SqlClaim again = session.claim("order-1", "corrected", null);

            assertThat(again.kind()).isEqualTo("retryable_failure");
            assertThat(again.attempt()).isEqualTo(2);
            assertThat(again.token()).isNotNull().isNotEqualTo(failed.token());
            assertThat(again.failureCode()).isEqualTo("declined");
            assertThat(again.failureMessage()).isEqualTo("no cover");
            assertRefused("P4013", "processing", () -> session.succeed("order-1", failed, "1"));
        }
    }

    @Test
    void finalFailureIsTold() throws SQLException {
        try (SqlSession session = open()) {
            session.fail("order-1", session.lease("order-1", 60), false).commit();

            assertThat(session.claim("order-1"))
                    .isEqualTo(new SqlClaim("final_failure", null, null, null, 1, null, "declined", "no cover", null));
        }
    }

    @Test
    void failureIsCutToWhatIsKept() throws SQLException {
        try (SqlSession session = open()) {
            SqlClaim claim = session.claim("order-1");
            session.execute(("select idempotency.idempotency_fail('payments', 'order-1', '%s', false,"
                            + " repeat('c', 300), repeat('m', 1100))")
                    .formatted(claim.token()));

            SqlClaim failed = session.claim("order-1");
            assertThat(failed.failureCode()).hasSize(255);
            assertThat(failed.failureMessage()).hasSize(1000);
        }
    }

    /** The answer to a COMMIT may get lost. */
    @Test
    void completionCanBeRepeatedByItsOwnClaim() throws SQLException {
        try (SqlSession session = open()) {
            SqlClaim success = session.lease("order-1", 60);
            session.succeed("order-1", success, "1").commit();
            SqlClaim failure = session.lease("order-2", 60);
            session.fail("order-2", failure, true).commit();

            session.succeed("order-1", success, "2")
                    .fail("order-2", failure, true)
                    .commit();

            assertThat(session.claim("order-1").body()).isEqualTo("1");
            assertRefused("P4013", "succeeded", () -> session.fail("order-1", success, true));
            session.rollback();
            assertRefused("P4013", "failed_retryable", () -> session.succeed("order-2", failure, "1"));
        }
    }

    @Test
    void completionNeedsAClaim() throws SQLException {
        try (SqlSession session = open()) {
            String succeed = "select idempotency.idempotency_succeed('payments', 'order-1', %s)";
            assertRefused(
                    "P4013",
                    "no such request",
                    () -> session.execute(succeed.formatted("'" + UUID.randomUUID() + "'")));
            session.rollback();
            session.claim("order-1");
            assertRefused("P4013", "processing, attempt 1", () -> session.execute(succeed.formatted("null")));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"succeeded", "failed_final", "processing"})
    void keyOfAnotherPayloadIsRefused(String status) throws SQLException {
        try (SqlSession session = open()) {
            SqlClaim claim = session.lease("order-1", 60);
            if (status.equals("succeeded")) {
                session.succeed("order-1", claim, "1");
            } else if (status.equals("failed_final")) {
                session.fail("order-1", claim, false);
            }
            session.commit();
            expireLeases();

            assertRefused("P4010", "claimed at", () -> session.claim("order-1", "another payload", null));
        }
    }

    @Test
    void hashesOfDifferentVersionsSayNothingAboutEachOther() throws SQLException {
        try (SqlSession session = open()) {
            session.call("order-1", "1");

            assertThat(session.query("select claim_kind from idempotency.idempotency_claim("
                            + "'payments', 'order-1', sha256('other'), 'me', hash_version => 2)"))
                    .isEqualTo("replay_success");
        }
    }

    @Test
    void responseThatIsNotStoredAnyMoreIsRefused() throws SQLException {
        try (SqlSession session = open()) {
            session.call("order-1", "1");
            admin.update("update idempotency.idempotency_request set response_body = null");

            assertRefused("P4011", "the effect is there", () -> session.claim("order-1"));
        }
    }

    @Test
    void claimThatWasCommittedWithoutALeaseIsRefused() throws SQLException {
        try (SqlSession session = open()) {
            session.claim("order-1");
            assertRefused("P4012", "this transaction has claimed it", () -> session.claim("order-1"));
            session.rollback();

            session.claim("order-1");
            session.commit();
            assertRefused("P4012", "committed before its completion", () -> session.claim("order-1"));
            session.rollback();
            assertRefused("P4012", "committed before its completion", () -> session.lease("order-1", 60));
        }
    }

    @Test
    void aKeyWithRecordedStepsIsLeftToItsMethod() throws SQLException {
        try (SqlSession session = open()) {
            session.fail("order-1", session.lease("order-1", 60), true).commit();
            admin.update("update idempotency.idempotency_request set steps = '[{\"name\": \"charge\"}]'");

            assertRefused("P4012", "has recorded steps", () -> session.lease("order-1", 60));
        }
    }

    @Test
    void aCallThatIsGivenUpIsLeftToAnOperator() throws SQLException {
        try (SqlSession session = open()) {
            session.lease("order-1", 60);
            session.commit();
            admin.update("update idempotency.idempotency_request set locked_until = null, failure_code = 'abandoned',"
                    + " failure_message = 'given up after 10 attempts'");

            assertRefused("P4012", "It was given up after 10 attempts", () -> session.lease("order-1", 60));
        }
    }

    private static final String TOKEN = "select claim_token from idempotency.idempotency_request";

    @Test
    void aReclaimBySqlIsNotResumedByTheApplication() throws SQLException {
        try (SqlSession session = open()) {
            session.fail("order-1", session.lease("order-1", 60), true).commit();
            admin.update("update idempotency.idempotency_request set locked_until = now()");
            Map<String, Object> scheduled = admin.queryForMap(TOKEN);

            session.lease("order-1", 60);
            session.commit();

            assertThat(admin.queryForMap(TOKEN))
                    .as("the message has another token")
                    .isNotEqualTo(scheduled);
        }
    }

    @Test
    void twoIntentsWithOneRequestIdAreToldApart() throws SQLException {
        try (SqlSession session = open()) {
            session.call("order-1", "1");
            admin.update("update idempotency.idempotency_request set idempotency_key = 'order-2'");

            assertRefused("P4003", "SHA-256", () -> session.claim("order-1"));
        }
    }

    /** A trigger that somebody made keeps undoing what was inserted. */
    @NotOnCitus
    @Test
    void rowThatVanishesAllTheTimeIsNotWaitedForForever() throws SQLException {
        admin.execute("""
                create function never() returns trigger language plpgsql as 'begin return null; end';
                create trigger never before insert on idempotency.idempotency_request
                for each row execute function never()""");
        try (SqlSession session = open()) {
            assertRefused("P4014", "Nothing was claimed", () -> session.claim("order-1"));
        } finally {
            admin.execute("drop function never cascade");
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            P4001 | null, 'k', sha256(''), 'me' | The scope is missing
            P4001 | '  ', 'k', sha256(''), 'me' | The scope is blank
            P4001 | 's', '', sha256(''), 'me' | The key is blank
            P4001 | 's', repeat('k', 256), sha256(''), 'me' | The key has 256 characters, more than 255
            P4001 | 's', E'a\\nb', sha256(''), 'me' | The key contains U+000A, which is not printable
            P4001 | 's', E'a\\u200Bb', sha256(''), 'me' | The key contains U+200B, which is not printable
            P4001 | 's', E'a\\U000E0041', sha256(''), 'me' | The key contains U+E0041, which is not printable
            P4001 | repeat('s', 129), 'k', sha256(''), 'me' | The scope has 129 characters, more than 128
            P4001 | 's', 'k', sha256(''), '' | The name in claimed_by is blank
            P4001 | 's', 'k', sha256(''), 'me', caller => repeat('c', 129) | The caller has 129 characters, more than 128
            P4001 | 's', 'k', sha256(''), 'me', caller => null | The caller is missing
            P4002 | 's', 'k', null, 'me' | The hash of the payload is missing
            P4002 | 's', 'k', '\\x00', 'me' | The hash of the payload must have 32 bytes, not 1
            P4002 | 's', 'k', sha256(''), 'me', -1 | lock_seconds must be 0 to 2147483, not -1
            P4002 | 's', 'k', sha256(''), 'me', retention => '0' | The retention must be at least one millisecond and at most 365000 days, not 00:00:00
            P4002 | 's', 'k', sha256(''), 'me', retention => null | The retention must be at least one millisecond
            P4002 | 's', 'k', sha256(''), 'me', response_retention => '8 days' | The response's retention must be at least one millisecond and at most 7 days, not 8 days
            P4002 | 's', 'k', sha256(''), 'me', 60, interval '1 second' | The lease of 00:01:00 is longer than the retention of 00:00:01
            P4002 | 's', 'k', sha256(''), 'me', hash_version => 0 | The version of the hash must be 1 to 32767, not 0
            """)
    void malformedArgumentsAreRefusedBeforeAnythingIsWritten(String state, String arguments, String message)
            throws SQLException {
        try (SqlSession session = open()) {
            assertThatThrownBy(() -> session.query("select idempotency.idempotency_claim(%s)".formatted(arguments)))
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            refused -> assertThat(refused.getSQLState()).isEqualTo(state))
                    .hasMessageContaining(message);
            session.rollback();
        }
        assertThat(requests()).isEmpty();
    }

    @Test
    void malformedArgumentsOfACompletionAreRefused() throws SQLException {
        try (SqlSession session = open()) {
            SqlClaim claim = session.lease("order-1", 60);
            session.commit();
            assertRefused(
                    "P4001",
                    "1 to 128",
                    () -> session.execute(
                            "select idempotency.idempotency_succeed('', 'order-1', '%s')".formatted(claim.token())));
            session.rollback();
            assertRefused(
                    "P4002",
                    "Nothing was written",
                    () -> session.execute("select idempotency.idempotency_fail('payments', 'order-1', '%s', null, 'c')"
                            .formatted(claim.token())));
            session.rollback();
            assertRefused(
                    "P4002",
                    "Nothing was written",
                    () -> session.execute("select idempotency.idempotency_fail('payments', 'order-1', '%s', true, null)"
                            .formatted(claim.token())));
        }
    }

    @Test
    void rollbackLeavesNothingThatBindsTheKey() throws SQLException {
        try (SqlSession session = open()) {
            session.succeed("order-1", session.claim("order-1"), "1").rollback();

            assertThat(session.claim("order-1", "another payload", null).kind()).isEqualTo("new_claim");
        }
    }

    /** The effect is undone and the claim is kept, with its failure. */
    @Test
    void failureIsRecordedBehindASavepoint() throws SQLException {
        try (SqlSession session = open()) {
            SqlClaim claim = session.claim("order-1");
            session.execute("savepoint effect");
            assertThatThrownBy(() -> session.execute("select 1 / 0")).hasMessageContaining("division by zero");
            session.execute("rollback to savepoint effect");

            session.fail("order-1", claim, true).commit();

            assertThat(session.claim("order-1").kind()).isEqualTo("retryable_failure");
        }
    }

    @Test
    @Tag("race")
    void duplicateWaitsForTheTransactionThatHoldsTheKeyAndReplays() throws Exception {
        try (SqlSession first = open();
                SqlSession second = open()) {
            SqlClaim claim = first.claim("order-1");
            ConcurrentCalls<SqlClaim> waiting = ConcurrentCalls.start(List.of(() -> second.call("order-1", "2")));
            database.backends().awaitBlocked(second.connection());

            first.succeed("order-1", claim, "1").commit();

            assertThat(waiting.await().requireAllSucceeded())
                    .extracting(SqlClaim::kind, SqlClaim::body)
                    .containsExactly(tuple("replay_success", "1"));
        }
    }

    @Test
    @Tag("race")
    void duplicateThatWaitedForARollbackRuns() throws Exception {
        try (SqlSession first = open();
                SqlSession second = open()) {
            first.claim("order-1");
            ConcurrentCalls<SqlClaim> waiting = ConcurrentCalls.start(List.of(() -> second.call("order-1", "2")));
            database.backends().awaitBlocked(second.connection());

            first.rollback();

            assertThat(waiting.await().requireAllSucceeded())
                    .extracting(SqlClaim::kind)
                    .containsExactly("new_claim");
        }
    }

    @NotOnCitus
    @Test
    @Tag("race")
    void leaseBeginsWhenItIsGrantedAndNotBeforeTheWait() throws Exception {
        try (SqlSession first = open();
                SqlSession second = open();
                SqlSession third = open()) {
            first.claim("order-1");
            ConcurrentCalls<SqlClaim> waiting = ConcurrentCalls.start(List.of(() -> second.lease("order-1", 60)));
            database.backends().awaitBlocked(second.connection());
            String waitsForLonger = "select count(*) from pg_stat_activity where wait_event_type = 'Lock'"
                    + " and clock_timestamp() - query_start > interval '1 s'";
            Awaitility.await().until(() -> admin.queryForObject(waitsForLonger, Integer.class) == 1);
            OffsetDateTime end =
                    admin.queryForObject("select clock_timestamp() + interval '60 s'", OffsetDateTime.class);
            first.rollback();

            assertThat(waiting.await().requireAllSucceeded()).singleElement().satisfies(claim -> {
                assertThat(claim.kind()).isEqualTo("new_claim");
                assertThat(claim.lockedUntil()).isAfterOrEqualTo(end);
            });
            second.commit();
            assertThat(third.lease("order-1", 60).kind()).isEqualTo("processing_active");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"repeatable read", "serializable"})
    @Tag("race")
    void strongerIsolationGetsPostgresqlsOwnError(String isolation) throws Exception {
        try (SqlSession first = open();
                SqlSession second = open()) {
            SqlClaim held = first.claim("order-1");
            second.execute("set transaction isolation level " + isolation).query("select 1");
            ConcurrentCalls<SqlClaim> waiting = ConcurrentCalls.start(List.of(() -> second.claim("order-1")));
            database.backends().awaitBlocked(second.connection());

            first.succeed("order-1", held, "1").commit();

            assertThat(waiting.await().failures())
                    .singleElement()
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            failure -> assertThat(failure.getSQLState()).isEqualTo("40001"));
        }
    }

    /** All of them have seen the row as it was before the first one changes it. */
    @NotOnCitus
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("race")
    void oneOfManyTakesOverWhatCanBeClaimedAgain(boolean expired) throws Exception {
        try (SqlSession session = open();
                Session admin = new Session(database.connection())) {
            SqlClaim first = session.lease("order-1", 60);
            if (!expired) {
                session.fail("order-1", first, true);
            }
            session.commit();
            expireLeases();
            admin.execute("select 1 from idempotency.idempotency_request for update");
            // Not from the pool: one that has to grow by several connections at once may forget one of its callers.
            ConcurrentCalls<SqlClaim> taking = ConcurrentCalls.start(8, () -> {
                try (SqlSession other = new SqlSession(SqlRoles.worker(database))) {
                    SqlClaim claim = other.lease("order-1", 60);
                    other.commit();
                    return claim;
                }
            });
            database.backends().awaitBlocked(8);
            admin.rollback();

            List<SqlClaim> claims = taking.await().requireAllSucceeded();

            assertThat(claims).filteredOn(claim -> claim.token() != null).hasSize(1);
            assertThat(claims)
                    .filteredOn(claim -> claim.kind().equals("processing_active"))
                    .hasSize(7);
            assertThat(claims).extracting(SqlClaim::attempt).containsOnly(2);
        }
    }

    /** A column brings its collation along, which is another one than that of the tables. */
    @ParameterizedTest
    @ValueSource(strings = {"pg_catalog.\"POSIX\"", "pg_temp.without_case"})
    void argumentsMayHaveACollationOfTheirOwn(String collation) throws SQLException {
        try (SqlSession session = open()) {
            session.execute("create collation pg_temp.without_case"
                            + " (provider = icu, locale = 'und-u-ks-level2', deterministic = false)")
                    .execute("create temporary table job (key text collate %1$s, consumer text collate %1$s)"
                            .formatted(collation))
                    .execute("insert into job values ('order-1', 'invoices')");
            String claim = "select c.claim_kind from job, idempotency.idempotency_claim("
                    + "job.key, job.key, sha256(''), job.key, 60, caller => job.key) c";

            assertThat(session.query(claim)).isEqualTo("new_claim");
            assertThat(session.query(claim)).isEqualTo("processing_active");
            assertThat(session.query("select idempotency.idempotency_consume(consumer, key, sha256('')) from job"))
                    .isEqualTo("t");
            assertThat(session.query("select idempotency.idempotency_consume(consumer, key, sha256('')) from job"))
                    .isEqualTo("f");
            assertThat(session.query("select idempotency.idempotency_advance_strictly(consumer, key, 1) from job"))
                    .isEqualTo("t");
            assertThat(session.query(
                            "select idempotency.idempotency_publish(key, key, '1', key, deduplication_key => key)"
                                    + " from job"))
                    .isEqualTo(session.query(
                            "select idempotency.idempotency_publish(key, key, '1', key, deduplication_key => key)"
                                    + " from job"));
            session.rollback();
        }
    }

    private SqlSession open() throws SQLException {
        return new SqlSession(SqlRoles.worker(database));
    }

    private void expireLeases() {
        admin.update("update idempotency.idempotency_request set locked_until = now() - interval '1 second'"
                + " where locked_until is not null");
    }

    private List<String> requests() {
        return admin.queryForList("select idempotency_key from idempotency.idempotency_request", String.class);
    }

    static ThrowableAssertAlternative<PSQLException> assertRefused(String state, String detail, ThrowingCallable call) {
        return assertThatExceptionOfType(PSQLException.class).isThrownBy(call).satisfies(refused -> {
            assertThat(refused.getSQLState()).isEqualTo(state);
            assertThat(refused.getServerErrorMessage().getDetail()).contains(detail);
            assertThat(refused.getServerErrorMessage().getHint()).isNotBlank();
        });
    }
}
