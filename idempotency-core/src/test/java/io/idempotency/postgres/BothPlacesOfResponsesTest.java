package io.idempotency.postgres;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.claim.Claim;
import io.idempotency.claim.ClaimRequest;
import io.idempotency.claim.Completion;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;
import io.idempotency.test.TestSize;

import static org.assertj.core.api.Assertions.assertThat;

/** Instances that write responses to the rows of their keys, and others that write them to the table, on one database. */
@PostgresTest
class BothPlacesOfResponsesTest {

    private static final int KEYS = TestSize.pick(300, 5_000);

    private static final int CALLERS_OF_A_KIND = 4;

    private final TestDatabase database;

    private final JdbcTemplate admin;

    BothPlacesOfResponsesTest(TestDatabase database) {
        this.database = database;
        this.admin = database.jdbc();
    }

    @BeforeAll
    static void migrate(TestDatabase database) {
        MigratedTables.in(database);
        ResponsesInTable.partition(database.jdbc());
        database.jdbc().execute("create table effect (key text not null, body text not null)");
    }

    @AfterEach
    void clear() {
        admin.execute("truncate idempotency.idempotency_request, idempotency.idempotency_response, effect");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void eachReplaysWhatTheOtherHasStored(boolean apart) throws SQLException {
        try (Session one = session(apart);
                Session other = session(!apart)) {
            one.call(Requests.request("order-42"), "{\"n\":  1}");
            ClaimRequest leased = Requests.leased("order-43");
            one.claimGranted(leased).commit();
            one.complete(new Completion(Requests.fence(leased, 1), "2", null, null));
            one.commit();

            assertThat(other.claim(Requests.request("order-42"))).isEqualTo(new Claim.Succeeded("{\"n\":  1}"));
            assertThat(other.claim(Requests.request("order-43"))).isEqualTo(new Claim.Succeeded("2"));
        }
    }

    /** As an operator leaves it who knows nothing of the table. */
    @Test
    void whatIsTakenAgainForgetsWhereItsResponseWas() throws SQLException {
        try (Session apart = session(true);
                Session inRow = session(false)) {
            apart.call(Requests.request("order-42"), "1");
            admin.update("update idempotency.idempotency_request set status = 'failed_retryable'");
            ClaimRequest leased = Requests.leased("order-42");
            assertThat(inRow.claim(leased)).isEqualTo(new Claim.Granted(2, Claim.Granted.Origin.FAILED_ATTEMPT));
            inRow.commit();
            assertThat(admin.queryForList(
                            "select 1 from idempotency.idempotency_request where response_kept_until is not null"))
                    .isEmpty();

            admin.update("update idempotency.idempotency_request set response_kept_until = expires_at");
            assertThat(inRow.complete(new Completion(Requests.fence(leased, 2), "2", null, null)))
                    .isTrue();
            inRow.commit();

            assertThat(apart.claim(Requests.request("order-42"))).isEqualTo(new Claim.Succeeded("2"));
        }
    }

    /** What the page for operators says. */
    @Test
    void aResponseThatIsErasedWithItsTimeIsOneThatHasGone() throws SQLException {
        try (Session session = session(true)) {
            session.call(Requests.request("order-42"), "1");
            session.call(Requests.request("order-43"), "2");
            session.claimGranted(Requests.request("order-44")).commit();
            for (String key : List.of("order-42", "order-44")) {
                admin.execute("""
                        with erased as (
                            delete from idempotency.idempotency_response
                            where request_id = idempotency.idempotency_request_id('payments', '%s', '')
                            returning request_id, expires_at)
                        update idempotency.idempotency_request as r
                        set response_kept_until = null
                        from erased
                        where r.request_id = erased.request_id and r.response_kept_until = erased.expires_at""".formatted(key));
            }

            assertThat(session.claim(Requests.request("order-42"))).isEqualTo(new Claim.ResponseExpired());
            assertThat(session.claim(Requests.request("order-43"))).isEqualTo(new Claim.Succeeded("2"));
            assertThat(session.claim(Requests.request("order-44"))).isEqualTo(new Claim.Abandoned());
        }
    }

    @Test
    void eachTakesOverWhatTheOtherHasLeftBehind() throws SQLException {
        for (boolean apart : List.of(true, false)) {
            try (Session one = session(apart);
                    Session other = session(!apart)) {
                one.claimGranted(Requests.leased("order-" + apart)).commit();
                admin.update("update idempotency.idempotency_request set locked_until = now() - interval '1 second'"
                        + " where locked_until is not null");
                ClaimRequest request = Requests.request("order-" + apart);
                assertThat(other.claim(request)).isEqualTo(new Claim.Granted(2, Claim.Granted.Origin.EXPIRED_LEASE));
                assertThat(other.complete(new Completion(Requests.fence(request, 2), "2", null, null)))
                        .isTrue();
                other.commit();

                assertThat(one.claim(request)).isEqualTo(new Claim.Succeeded("2"));
            }
        }
    }

    /** A completion clears nothing: what it does not name is empty since the claim. */
    @Test
    void nothingOfAnEarlierAttemptIsLeftInTheRowOfALaterOne() throws SQLException {
        try (Session session = session(false)) {
            session.claimGranted(Requests.leased("order-42")).commit();
            admin.update("""
                    update idempotency.idempotency_request
                    set status = 'failed_retryable', failure_code = 'code', failure_message = 'message',
                        result_ref_type = 'order', result_ref_id = '42', response_body = '1',
                        response_kept_until = expires_at, response_expires_at = expires_at""");

            ClaimRequest request = Requests.request("order-42");
            assertThat(session.claim(request)).isEqualTo(new Claim.Granted(2, Claim.Granted.Origin.FAILED_ATTEMPT));
            assertThat(session.complete(new Completion(Requests.fence(request, 2), "2", null, null)))
                    .isTrue();
            session.commit();

            assertThat(admin.queryForMap("""
                            select claim_token, locked_until, failure_code, failure_message, result_ref_type, result_ref_id,
                                   response_kept_until, response_expires_at
                            from idempotency.idempotency_request""").values()).containsOnlyNulls();
            assertThat(session.claim(request)).isEqualTo(new Claim.Succeeded("2"));
        }
    }

    @Test
    @Tag("race")
    void eachKeyHasOneEffectAndOneResponse() {
        List<Map<String, String>> answers = ConcurrentCalls.<Map<String, String>>run(
                        2 * CALLERS_OF_A_KIND, caller -> callAll(caller, caller % 2 == 0))
                .requireAllSucceeded();

        Map<String, String> effects = new HashMap<>();
        admin.query("select key, body from effect", row -> {
            assertThat(effects.put(row.getString(1), row.getString(2))).isNull();
        });
        assertThat(effects).hasSize(KEYS);
        assertThat(answers).allSatisfy(answer -> assertThat(answer).isEqualTo(effects));
        assertThat(admin.queryForList("""
                select distinct response_kept_until is null
                from idempotency.idempotency_request""", Boolean.class))
                .as("both have written")
                .hasSize(2);
    }

    private Map<String, String> callAll(int caller, boolean apart) throws SQLException {
        List<Integer> keys = new ArrayList<>();
        for (int key = 0; key < KEYS; key++) {
            keys.add(key);
        }
        Collections.shuffle(keys, new Random(caller / 2));
        Map<String, String> answers = new HashMap<>();
        try (Session session = session(apart)) {
            for (int key : keys) {
                answers.put("order-" + key, call(session, "order-" + key, "\"" + caller + "\""));
            }
        }
        return answers;
    }

    private static String call(Session session, String key, String body) throws SQLException {
        ClaimRequest request = Requests.request(key);
        Claim claim = session.claim(request);
        if (claim instanceof Claim.Succeeded replayed) {
            session.commit();
            return replayed.responseBody();
        }
        assertThat(claim).isEqualTo(Requests.GRANTED);
        session.execute("insert into effect values ('%s', '%s')".formatted(key, body));
        session.complete(request, body).commit();
        return body;
    }

    private Session session(boolean apart) throws SQLException {
        return new Session(database.connection(), MigratedTables.SCHEMA, apart);
    }
}
