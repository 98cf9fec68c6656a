package io.idempotency.internal.postgres.administration;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.IdempotencyAdministration;
import io.idempotency.IdempotencyAdministration.Reason;
import io.idempotency.Intent;
import io.idempotency.InterventionRefusedException;
import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.ClaimResult;
import io.idempotency.internal.claim.ClaimResult.Kind;
import io.idempotency.internal.claim.Completion;
import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.internal.postgres.PostgresStorage;
import io.idempotency.internal.postgres.Requests;
import io.idempotency.internal.postgres.Session;
import io.idempotency.internal.retention.Purge;
import io.idempotency.internal.retention.PurgeSettings;
import io.idempotency.observation.IdempotencyListener;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.NotOnCitus;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static io.idempotency.internal.postgres.Requests.intent;
import static io.idempotency.internal.postgres.Requests.leased;
import static io.idempotency.internal.postgres.Requests.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** What operators may change, and what they may not. */
@Tag("citus")
@PostgresTest
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AdministrationTest {

    static final Reason REASON = new Reason("ada", "the bank says so");

    private final Logger logger = (Logger) LoggerFactory.getLogger(InterventionLog.NAME);
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private final TestDatabase database;
    private final JdbcTemplate admin;
    private final PostgresStorage storage;
    private final IdempotencyAdministration administration;
    private Session session;

    AdministrationTest(TestDatabase database) {
        this.database = database;
        this.admin = database.jdbc();
        this.storage = MigratedTables.in(database);
        this.administration = storage.administration(null);
    }

    /** Everything that writes. */
    enum Intervention {
        RELEASE {
            @Override
            void on(IdempotencyAdministration administration, Intent intent) {
                administration.releaseStale(intent, REASON);
            }
        },
        COMPLETE {
            @Override
            void on(IdempotencyAdministration administration, Intent intent) {
                administration.completeStale(intent, "7", REASON);
            }
        },
        FORGET {
            @Override
            void on(IdempotencyAdministration administration, Intent intent) {
                administration.forget(intent, REASON);
            }
        };

        abstract void on(IdempotencyAdministration administration, Intent intent);

        String verb() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @BeforeEach
    void open() throws SQLException {
        session = new Session(database);
        logger.setAdditive(false);
        logger.addAppender(log);
        log.start();
    }

    @AfterEach
    void close() throws SQLException {
        logger.detachAppender(log);
        logger.setAdditive(true);
        log.list.clear();
        session.close();
        admin.execute("truncate idempotency.idempotency_request");
    }

    @Test
    void aReleasedRequestRunsAgainAsTheNextAttempt() throws SQLException {
        hold(leased("order-42"));
        expireLeases();

        administration.releaseStale(intent("order-42"), REASON);

        assertThat(administration.find(intent("order-42"))).hasValueSatisfying(found -> {
            assertThat(found.failureCode()).isEqualTo("released");
            assertThat(found.failureMessage()).isEqualTo("ada: the bank says so");
            assertThat(found.lockedUntil()).isNull();
        });
        assertThat(session.claim(leased("order-42"))).isEqualTo(ClaimResult.granted(Kind.GRANTED_RETRY, 2));
    }

    /** What a newer JVM, or an SQL function, has taken for printable. */
    @Test
    void aKeyThatThisJvmDoesNotKnowHidesNothingAndCanBeForgotten() throws SQLException {
        hold(leased("order-42"));
        admin.update(
                "insert into idempotency.idempotency_request select (jsonb_populate_record(r, jsonb_build_object("
                        + "'idempotency_key', ?, 'request_id', idempotency.idempotency_request_id('payments', ?, '')))).*"
                        + " from idempotency.idempotency_request as r",
                "order-\u0378",
                "order-\u0378");
        expireLeases();

        assertThat(administration.findStaleLeases(10))
                .extracting(found -> found.intent().key().value())
                .containsExactlyInAnyOrder("order-42", "order-\u0378");
        administration.forget(intent("order-\u0378"), REASON);
        assertThat(administration.search(null, null, null, null, 10)).hasSize(1);
    }

    @NotOnCitus
    @Test
    void aRowThatWasWrittenByHandHidesNothing() throws SQLException {
        hold(leased("order-42"));
        hold(leased("order-43"));
        admin.update("update idempotency.idempotency_request set idempotency_key = E'or\\u200Bder', caller = E'\\n',"
                + " idempotency_scope = ' ' where idempotency_key = 'order-43'");
        expireLeases();

        assertThat(administration.findStaleLeases(10))
                .extracting(found -> found.intent().toString())
                .containsExactlyInAnyOrder(
                        "key 'order-42' in scope 'payments'", "key 'or\uFFFDder' in scope '\uFFFD' of caller '\uFFFD'");
        assertThat(administration.search(null, null, null, null, 10)).hasSize(2);
    }

    @NotOnCitus
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "status = 'paused' | upgrade every application",
                "status = '' | upgrade every application",
                "locked_until = 'infinity' | LEASED",
                "locked_until = '-infinity' | GRANTED_RECOVERY",
                "locked_until = '294276-12-31' | LEASED",
                "locked_until = '4713-01-01 BC' | GRANTED_RECOVERY",
                "claimed_at = 'infinity', created_at = '-infinity', updated_at = 'infinity', expires_at = 'infinity' | GRANTED_RECOVERY",
                "expires_at = '294276-12-31', response_expires_at = '294276-12-31' | GRANTED_RECOVERY",
                "response_expires_at = 'infinity' | GRANTED_RECOVERY",
                "status = 'succeeded', response_expires_at = '-infinity' | RESPONSE_EXPIRED",
                "status = 'succeeded', response_expires_at = '4713-01-01 BC' | RESPONSE_EXPIRED",
                "status = 'failed_retryable', steps = '[{}]', locked_until = '-infinity' | GRANTED_RETRY",
                "status = 'failed_retryable', steps = '7', locked_until = '-infinity' | GRANTED_RETRY",
                "attempt_count = 2147483647, hash_version = -1, request_hash = '' | integer out of range",
                "attempt_count = -2147483648, claimed_by = '', failure_code = chr(7) | GRANTED_RECOVERY",
            })
    void aRowThatWasWrittenByHandHoldsNothingUp(String change, String claimed) throws Exception {
        hold(leased("order-42"));
        hold(leased("order-43"));
        expireLeases();
        admin.execute("update idempotency.idempotency_request set " + change + " where idempotency_key = 'order-43'");

        boolean isUnknown = change.startsWith("status = 'paused'") || change.equals("status = ''");
        assertThat(administration.search(null, null, null, null, 10)).hasSize(isUnknown ? 1 : 2);
        assertThat(administration.findWithAttempts(1, 10)).isNotEmpty();
        assertThat(administration.findStaleLeases(10)).isNotEmpty();
        assertThat(administration.findHalfDone(10)).hasSize(change.contains("steps") ? 1 : 0);
        assertThat(administration.findAbandoned(10)).isEmpty();
        assertThat(storage.statistics().sample(10).oldestExpired()).isNotEmpty();
        assertThat(outcomeOf(() -> session.claim(leased("order-43")).kind())).contains(claimed);
        session.rollback();
        admin.update("update idempotency.idempotency_request set expires_at = now() - interval '1 day'"
                + " where idempotency_key = 'order-42'");
        Purge purge = new Purge(
                storage.purgeStore("test", false),
                new PurgeSettings(10, Duration.ofMillis(1), Duration.ofMinutes(1)),
                new IdempotencyListener() {});
        assertThat(purge.run().total()).isPositive();
        assertThat(administration.find(intent("order-42"))).isEmpty();
    }

    @Test
    void aCompletedRequestReplaysWhatTheOperatorSaid() throws SQLException {
        hold(leased("order-42"));
        expireLeases();

        administration.completeStale(intent("order-42"), "{\"paid\": 1E+2}", REASON);

        assertThat(session.claim(leased("order-42"))).isEqualTo(ClaimResult.succeeded("{\"paid\": 1E+2}"));
    }

    @NotOnCitus
    @Test
    void aCompletedRequestIsKeptAsLongAsIfItHadCompletedNow() throws SQLException {
        hold(leased("order-42"));
        admin.update("update idempotency.idempotency_request set claimed_at = claimed_at - interval '30 days',"
                + " expires_at = expires_at - interval '30 days', locked_until = locked_until - interval '30 days'");

        administration.completeStale(intent("order-42"), "7", REASON);

        assertThat(admin.queryForObject(
                        "select expires_at > clock_timestamp() + interval '6 days' from"
                                + " idempotency.idempotency_request",
                        Boolean.class))
                .isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void theHolderCannotCompleteAfterAnIntervention(Intervention intervention) throws SQLException {
        ClaimRequest request = leased("order-42");
        hold(request);
        expireLeases();

        intervention.on(administration, intent("order-42"));

        assertThat(session.complete(new Completion(request.fence(1), "1", null, null)))
                .isFalse();
        session.rollback();
        assertThat(session.store().findSettled(session.connection(), request.fence(1)).stream())
                .as("taken for what the holder wrote itself")
                .filteredOn(found -> found.isClaimedBy(request.fence(1)))
                .isEmpty();
    }

    @Test
    void aForgottenRequestRunsAsIfItWereNew() throws SQLException {
        session.call(request("order-42"), "7");

        administration.forget(intent("order-42"), REASON);

        assertThat(session.claim(request("order-42", "another payload"))).isEqualTo(Requests.GRANTED);
    }

    @ParameterizedTest
    @EnumSource
    void aRequestThatItsMethodCommittedHalfDoneIsStale(Intervention intervention) throws SQLException {
        hold(request("order-42"));
        assertThat(session.claim(request("order-42"))).isEqualTo(ClaimResult.of(Kind.ABANDONED));
        session.commit();

        intervention.on(administration, intent("order-42"));

        assertThat(session.claim(request("order-42"))).isNotEqualTo(ClaimResult.of(Kind.ABANDONED));
    }

    /** Its row has been there for all since the first commit, and does not look as if anybody were at it. */
    @ParameterizedTest
    @EnumSource
    @Tag("race")
    void aMethodThatCommittedAndWentOnWinsOnceItHasCompleted(Intervention intervention) throws Exception {
        hold(request("order-42"));
        session.complete(request("order-42"), "7");

        assertWins(intervention);
    }

    private void assertWins(Intervention intervention) throws Exception {
        ConcurrentCalls<Void> operator =
                ConcurrentCalls.start(1, () -> intervention.on(administration, intent("order-42")));
        database.backends().awaitBlocked(1);
        session.commit();

        if (intervention == Intervention.FORGET) {
            operator.await().requireAllSucceeded();
            assertThat(session.claim(request("order-42"))).isEqualTo(Requests.GRANTED);
        } else {
            assertThat(operator.await().failures()).singleElement().isInstanceOf(InterventionRefusedException.class);
            assertThat(session.claim(request("order-42"))).isEqualTo(ClaimResult.succeeded("7"));
        }
    }

    @Test
    @Tag("race")
    void aMethodThatCommittedAndWentOnFindsWhatAnOperatorDecidesMeanwhile() throws Exception {
        ClaimRequest request = request("order-42");
        hold(request);
        try (Session operator = new Session(database)) {
            operator.execute("update idempotency.idempotency_request set status = 'failed_retryable'");
            ConcurrentCalls<Boolean> completion =
                    ConcurrentCalls.start(1, () -> session.complete(new Completion(request.fence(1), "7", null, null)));
            database.backends().awaitBlocked(1);
            operator.commit();

            assertThat(completion.await().requireAllSucceeded()).containsExactly(false);
        }
        session.rollback();
        assertThat(session.claim(request)).isEqualTo(ClaimResult.granted(Kind.GRANTED_RETRY, 2));
    }

    @ParameterizedTest
    @EnumSource
    void anActiveLeaseIsLeftAlone(Intervention intervention) throws SQLException {
        hold(leased("order-42"));
        String before = rows();

        assertThatIllegalStateException()
                .isThrownBy(() -> intervention.on(administration, intent("order-42")))
                .withMessageStartingWith("Cannot " + intervention.verb() + " the key 'order-42' in scope 'payments'")
                .withMessageContaining("attempt 1 of test-process holds its lease until 2");

        assertThat(rows()).isEqualTo(before);
        assertThat(log.list).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = {"RELEASE", "COMPLETE"})
    void whatHasSucceededIsNotStale(Intervention intervention) throws SQLException {
        session.call(request("order-42"), "1");
        String before = rows();

        assertThatIllegalStateException()
                .isThrownBy(() -> intervention.on(administration, intent("order-42")))
                .withMessageEndingWith("it is not stale but SUCCEEDED");

        assertThat(rows()).isEqualTo(before);
    }

    @ParameterizedTest
    @EnumSource
    void whatIsNotThereCannotBeChanged(Intervention intervention) {
        assertThatIllegalStateException()
                .isThrownBy(() -> intervention.on(administration, intent("order-42")))
                .withMessageEndingWith("nothing is stored for it");
    }

    @ParameterizedTest
    @EnumSource
    void anotherIntentWithTheSameRequestIdIsLeftAlone(Intervention intervention) throws SQLException {
        hold(leased("order-42"));
        expireLeases();
        admin.update("update idempotency.idempotency_request set idempotency_key = 'another'");
        String before = rows();

        assertThatIllegalStateException()
                .isThrownBy(() -> intervention.on(administration, intent("order-42")))
                .withMessageEndingWith("nothing is stored for it");

        assertThat(rows()).isEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "paid", "{\"paid\": 7", "{} {}", "\"\0\""})
    void aResponseThatIsNotJsonIsRefusedAndTheRequestStaysStale(String body) throws SQLException {
        hold(leased("order-42"));
        expireLeases();
        String before = rows();

        assertThatIllegalArgumentException()
                .isThrownBy(() -> administration.completeStale(intent("order-42"), body, REASON))
                .withMessageContaining("key 'order-42' in scope 'payments' is not JSON");

        assertThat(rows()).isEqualTo(before);
        assertThat(log.list).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void everyInterventionIsLoggedWithWhoAndWhy(Intervention intervention) throws SQLException {
        hold(leased("order-42"));
        expireLeases();

        intervention.on(administration, intent("order-42"));

        assertThat(log.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly("Operator intervention: " + intervention.verb()
                        + " key 'order-42' in scope 'payments' by ada because the bank says so");
    }

    @ParameterizedTest
    @CsvSource({"' ', it is late, who", "ada, '', why", "ada, 'late\nOperator intervention: forged', why"})
    void aReasonSaysWhoAndWhyInOneLine(String who, String why, String missing) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Reason(who, why))
                .withMessageContaining("needs to say " + missing);
    }

    private static String outcomeOf(Callable<?> claim) {
        try {
            return String.valueOf(claim.call());
        } catch (Exception failure) {
            return failure.toString();
        }
    }

    private void hold(ClaimRequest request) throws SQLException {
        session.claimGranted(request).commit();
    }

    private void expireLeases() {
        admin.update("update idempotency.idempotency_request set locked_until = now() - interval '1 second'"
                + " where locked_until is not null");
    }

    private String rows() {
        List<String> rows = admin.queryForList("select r::text from idempotency.idempotency_request r", String.class);
        return rows.toString();
    }
}
