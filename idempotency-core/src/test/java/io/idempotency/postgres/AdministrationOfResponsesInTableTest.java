package io.idempotency.postgres;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.InterventionRefusedException;
import io.idempotency.claim.Claim;
import io.idempotency.claim.Claim.Granted.Origin;
import io.idempotency.claim.ClaimRequest;
import io.idempotency.claim.Completion;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static io.idempotency.postgres.Requests.fence;
import static io.idempotency.postgres.Requests.intent;
import static io.idempotency.postgres.Requests.leased;
import static io.idempotency.postgres.Requests.request;
import static org.assertj.core.api.Assertions.assertThat;

/** Operators may change the same where responses are in a table of their own, and their looks are as sharp. */
@PostgresTest
class AdministrationOfResponsesInTableTest extends AdministrationTest {

    private final TestDatabase database;
    private final JdbcTemplate admin;

    AdministrationOfResponsesInTableTest(TestDatabase database) {
        super(ResponsesInTable.of(database));
        this.database = database;
        this.admin = database.jdbc();
    }

    @BeforeAll
    static void partition(TestDatabase database) {
        ResponsesInTable.partition(database.jdbc());
    }

    @Test
    void aForgottenRequestLeavesNoResponse() throws SQLException {
        try (Session session = new Session(database)) {
            session.call(request("order-42"), "7");
            session.call(request("order-43"), "8");
        }

        administration().forget(intent("order-42"), REASON);

        assertThat(responses()).containsExactly("8");
    }

    @Test
    void whatAnOperatorCompletedKeepsItsResponseAsLongAsItWouldHaveBeenKept() throws SQLException {
        try (Session session = new Session(database)) {
            session.claimGranted(Requests.forgettingItsResponse("short", Duration.ofHours(1)));
            session.claimGranted(request("long")).commit();
        }

        administration().completeStale(intent("short"), "7", REASON);
        administration().completeStale(intent("long"), "7", REASON);

        assertThat(admin.queryForList("""
                select idempotency_key || ' ' || coalesce(
                    (response_expires_at between clock_timestamp() + interval '50 minutes'
                        and clock_timestamp() + interval '60 minutes')::text, 'as long as its key')
                from idempotency.idempotency_request order by 1""", String.class)).containsExactly("long as long as its key", "short true");
    }

    /** The call of the last moment commits while the operator waits for its row, whose response is of a later snapshot. */
    @ParameterizedTest
    @EnumSource
    @Tag("race")
    void aCallThatCommitsMeanwhileWins(Intervention intervention) throws Exception {
        ClaimRequest request = request("order-42");
        try (Session session = new Session(database)) {
            session.claimGranted(leased("order-42")).commit();
            admin.update("update idempotency.idempotency_request set locked_until = now() - interval '1 second'");
            assertThat(session.claim(request)).isEqualTo(new Claim.Granted(2, Origin.EXPIRED_LEASE));
            ConcurrentCalls<Void> operator =
                    ConcurrentCalls.start(1, () -> intervention.on(administration(), intent("order-42")));
            database.backends().awaitBlocked(1);
            assertThat(session.complete(new Completion(fence(request, 2), "7", null, null)))
                    .isTrue();
            session.commit();

            assertWon(session, intervention, operator);
        }
    }

    /** Its row has been there for all since that commit, and says already where its response will be. */
    @ParameterizedTest
    @EnumSource
    @Tag("race")
    void aMethodThatCommittedAndWentOnWinsOnceItHasCompleted(Intervention intervention) throws Exception {
        try (Session session = new Session(database)) {
            session.claimGranted(request("order-42")).commit();
            session.complete(request("order-42"), "7");
            ConcurrentCalls<Void> operator =
                    ConcurrentCalls.start(1, () -> intervention.on(administration(), intent("order-42")));
            database.backends().awaitBlocked(1);
            session.commit();

            assertWon(session, intervention, operator);
        }
    }

    @Test
    @Tag("race")
    void aMethodThatCommittedAndWentOnFindsWhatAnOperatorDecidesMeanwhile() throws Exception {
        ClaimRequest request = request("order-42");
        try (Session session = new Session(database);
                Session operator = new Session(database)) {
            session.claimGranted(request).commit();
            operator.execute("""
                    update idempotency.idempotency_request
                    set status = 'failed_retryable', response_kept_until = null""");
            ConcurrentCalls<Boolean> completion = ConcurrentCalls.start(
                    1, () -> session.complete(new Completion(fence(request, 1), "7", null, null)));
            database.backends().awaitBlocked(1);
            operator.commit();

            assertThat(completion.await().requireAllSucceeded()).containsExactly(false);
            session.rollback();
            assertThat(session.claim(request)).isEqualTo(new Claim.Granted(2, Origin.FAILED_ATTEMPT));
        }
        assertThat(responses()).isEmpty();
    }

    private void assertWon(Session session, Intervention intervention, ConcurrentCalls<Void> operator)
            throws SQLException {
        ClaimRequest request = request("order-42");
        if (intervention == Intervention.FORGET) {
            operator.await().requireAllSucceeded();
            assertThat(session.claim(request)).isEqualTo(Requests.GRANTED);
        } else {
            assertThat(operator.await().failures()).singleElement().isInstanceOf(InterventionRefusedException.class);
            assertThat(session.claim(request)).isEqualTo(new Claim.Succeeded("7"));
        }
        session.rollback();
        assertThat(responses()).hasSize(intervention == Intervention.FORGET ? 0 : 1);
    }

    private List<String> responses() {
        return admin.queryForList(
                "select response_body::text from idempotency.idempotency_response order by 1", String.class);
    }
}
