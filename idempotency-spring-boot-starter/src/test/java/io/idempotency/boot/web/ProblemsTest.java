package io.idempotency.boot.web;

import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;

import com.jayway.jsonpath.JsonPath;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.MessageSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.support.StaticMessageSource;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import io.idempotency.FailureTranslator;
import io.idempotency.Idempotent;
import io.idempotency.InvalidIdempotencyKeyException;
import io.idempotency.KeyReusedException;
import io.idempotency.lock.TransactionLocks;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** Each refusal as a client sees it. */
@PostgresTest
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ProblemsTest {

    private static final String NOTHING = "{\"item\":\"nothing\",\"quantity\":1}";

    private final TestDatabase database;

    private final HttpApplication application;

    ProblemsTest(TestDatabase database) {
        this.database = database;
        Orders.createTable(database);
        application = HttpApplication.start(
                database,
                List.of(Orders.class, KindsOfAnswers.class, Additions.class),
                "idempotency.http.failure-status[out_of_stock]=402",
                "logging.level.io.idempotency.boot.web=off");
    }

    @AfterAll
    void stop() {
        application.close();
    }

    @AfterEach
    void clear() {
        Orders.clear(application);
    }

    @Test
    void aMissingKeyIs400() throws Exception {
        Answer refused = application.post("/orders").json(Orders.TEA).send();

        requireProblem(refused, 400, "missing-key", "Idempotency-Key is missing");
        assertThat(refused.text("$.detail")).contains("needs an Idempotency-Key");
        assertThat(refused.text("$.instance")).isEqualTo("/orders");
    }

    @Test
    void anInvalidKeyIs400AndTheDetailSaysWhatIsWrong() throws Exception {
        Answer refused = order("\"not closed").send();

        requireProblem(refused, 400, "invalid-key", "Idempotency-Key is not valid");
        assertThat(refused.text("$.detail")).isEqualTo("The header Idempotency-Key has no closing double quote.");
        assertThat(order("x".repeat(256)).send().text("$.detail")).contains("256 characters");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/number-as-key", "/blank-key"})
    void whatIsWrongWithAKeyThatTheApplicationMadeIsItsOwnBusiness(String path) throws Exception {
        Answer refused = application.post(path).send();

        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.body())
                .doesNotContain("number-as-key-scope", "blank-key-scope", "java.lang", "#key", "expression");
    }

    @Test
    void aRequestInProgressIs409AndToBeRepeatedAfterTheWait() throws Exception {
        Answer refused = whileHeld("/orders", () -> order("key").send());

        requireProblem(refused, 409, "in-progress", "A request with this Idempotency-Key is in progress");
        assertThat(refused.header("Retry-After")).isEqualTo("1");
    }

    @Test
    void aRequestThatIsNotWaitedForIs409() throws Exception {
        Answer refused = whileHeld(
                "/impatient-orders",
                () -> application
                        .post("/impatient-orders")
                        .key("key")
                        .json(Orders.TEA)
                        .send());

        requireProblem(refused, 409, "in-progress", "A request with this Idempotency-Key is in progress");
        assertThat(refused.header("Retry-After")).isEqualTo("1");
    }

    @Test
    void aLeasedRequestInProgressIs409AndToBeRepeatedAfterItsLease() throws Exception {
        Answer refused = whileHeld(
                "/leased-orders",
                () -> application
                        .post("/leased-orders")
                        .key("key")
                        .json(Orders.TEA)
                        .send());

        requireProblem(refused, 409, "in-progress", "A request with this Idempotency-Key is in progress");
        assertThat(Long.parseLong(refused.header("Retry-After"))).isBetween(31L, 90L);
    }

    @Test
    void aLostLeaseIs409() throws Exception {
        Orders.Service orders = application.bean(Orders.Service.class);
        orders.hold();
        ConcurrentCalls<Answer> slow = ConcurrentCalls.start(
                1,
                () -> application
                        .post("/leased-orders")
                        .key("key")
                        .json(Orders.TEA)
                        .send());
        orders.awaitHeld();
        application.alterRequests("claim_token = gen_random_uuid(), attempt_count = 2");
        orders.release();

        requireProblem(
                slow.await().requireAllSucceeded().get(0),
                409,
                "lease-lost",
                "Another request has taken this Idempotency-Key over");
    }

    @Test
    void anAbandonedClaimIs409WithoutATimeToRepeatAfter() throws Exception {
        order("key").send();
        application.alterRequests("status = 'processing', claimed_at = now(), response_body = null");

        Answer refused = order("key").send();

        requireProblem(refused, 409, "abandoned", "The result of the first request is not known");
        assertThat(refused.headers()).doesNotContainKey("Retry-After");
    }

    @Test
    void aLockThatAnotherTransactionHasIs409AndTheRequestMayBeRepeated() throws Exception {
        HttpCall locked = application.post("/locked").key("key");
        try (Connection holder = database.connection()) {
            holder.setAutoCommit(false);
            holder.createStatement()
                    .execute("select pg_advisory_xact_lock(idempotency.idempotency_lock_id('secret-name', 'a'))");

            Answer refused = locked.send();

            requireProblem(refused, 409, "lock-not-acquired", "Another request is working on the same thing");
            assertThat(refused.body()).doesNotContain("secret-name");
            holder.rollback();
        }
        assertThat(locked.send().status()).isEqualTo(200);
    }

    @Test
    void aResponseThatIsNoLongerStoredIs410() throws Exception {
        order("key").send();
        application.alterRequests("response_body = null");

        requireProblem(order("key").send(), 410, "response-expired", "The response is no longer stored");
    }

    @Test
    void aKeyThatWasUsedForSomethingElseIs422() throws Exception {
        order("key").send();

        requireProblem(
                application.post("/orders").key("key").json(Orders.COFFEE).send(),
                422,
                "key-reused",
                "Idempotency-Key is already used");
    }

    @Test
    void aRecordedFailureIs422AndItsCodeIsNotShown() throws Exception {
        HttpCall failing = application.post("/leased-orders").key("key").json(Orders.TEA);
        failing.send();
        application.alterRequests(
                "status = 'failed_final', failure_code = 'com.example.Internal', failure_message = 'secret',"
                        + " response_body = null");

        Answer replay = failing.send();

        requireProblem(replay, 422, "recorded-failure", "The request has failed before");
        assertThat(replay.body()).doesNotContain("com.example", "secret", "\"code\"");
    }

    @Test
    void aRecordedFailureHasTheStatusOfItsCodeWhereTheApplicationSaysSo() throws Exception {
        HttpCall failing = application.post("/orders").key("key").json(NOTHING);
        assertThat(failing.send().status()).isEqualTo(409);

        Answer replay = failing.send();

        requireProblem(replay, 402, "recorded-failure", "The request has failed before");
        assertThat(replay.text("$.code")).isEqualTo("out_of_stock");
    }

    @Test
    void anUnreadableResponseIs500() throws Exception {
        order("key").send();
        application.alterRequests("response_body = '[]'");

        requireProblem(order("key").send(), 500, "unreadable-response", "The response cannot be read");
    }

    @Test
    void aResponseThatCannotBeStoredIs500() throws Exception {
        requireProblem(
                application.post("/unfaithful").key("key").send(),
                500,
                "response-not-storable",
                "The response cannot be stored");
        assertThat(application.requests()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/rolled-back", "/reentrant"})
    void mistakesOfTheApplicationAre500AndTellNothing(String path) throws Exception {
        Answer failed = application.post(path).key("key").send();

        requireProblem(failed, 500, "internal-error", "Internal error");
        assertThat(failed.text("$.detail")).isEqualTo("The request failed unexpectedly.");
        assertThat(failed.headers()).doesNotContainKey("Idempotent-Replayed");
        assertThat(application.requests()).isZero();
    }

    @Test
    void withoutADocumentationUrlThereIsNoLink() throws Exception {
        assertThat(order("\"").send().headers()).doesNotContainKey("Link");
    }

    @Test
    void messagesOfTheApplicationReplaceOurs() throws Exception {
        order("key").send();
        HttpCall reuse = application.post("/orders").key("key").json(Orders.COFFEE);

        Answer german = reuse.header("Accept-Language", "de").send();

        requireProblem(german, 422, "key-reused", "Schluessel schon benutzt");
        assertThat(german.text("$.detail")).isEqualTo("Ein neuer Auftrag braucht einen neuen Schluessel.");
        Answer other = order("\"").header("Accept-Language", "de").send();
        requireProblem(other, 400, "invalid-key", "Idempotency-Key is not valid");
        assertThat(other.text("$.detail")).isEqualTo("Der Schluessel ist ungueltig.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"application/json", "application/problem+json", "text/html", "text/plain", "*/*"})
    void whateverIsAcceptedTheAnswerIsAProblem(String accepted) throws Exception {
        Answer refused = order("\"").header("Accept", accepted).send();

        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.header("Content-Type")).startsWith("application/problem+json");
        assertThat(refused.problem()).isEqualTo("invalid-key");
    }

    private Answer whileHeld(String path, Callable<Answer> duplicate) throws Exception {
        Orders.Service orders = application.bean(Orders.Service.class);
        orders.hold();
        ConcurrentCalls<Answer> first = ConcurrentCalls.start(
                1, () -> application.post(path).key("key").json(Orders.TEA).send());
        orders.awaitHeld();
        Answer answer = duplicate.call();
        orders.release();
        assertThat(first.await().requireAllSucceeded().get(0).status()).isLessThan(300);
        assertThat(Orders.count(application)).isEqualTo(1);
        return answer;
    }

    private HttpCall order(String key) {
        return application.post("/orders").key(key).json(Orders.TEA);
    }

    private static void requireProblem(Answer answer, int status, String problem, String title) {
        assertThat(answer.status()).as(answer.body()).isEqualTo(status);
        assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(answer.text("$.type")).isEqualTo("urn:problem-type:idempotency:" + problem);
        assertThat(answer.text("$.title")).isEqualTo(title);
        assertThat(JsonPath.<Integer>read(answer.body(), "$.status")).isEqualTo(status);
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Mistakes.class)
    static class Additions {

        @Bean
        FailureTranslator codes() {
            return new FailureTranslator() {
                @Override
                public String codeOf(Throwable failure) {
                    return "out_of_stock";
                }
            };
        }

        @Bean
        MessageSource messageSource() {
            StaticMessageSource messages = new StaticMessageSource();
            String reused = KeyReusedException.class.getName();
            messages.addMessages(
                    Map.of(
                            "problemDetail.title." + reused, "Schluessel schon benutzt",
                            "problemDetail." + reused, "Ein neuer Auftrag braucht einen neuen Schluessel.",
                            "problemDetail." + InvalidIdempotencyKeyException.class.getName(),
                                    "Der Schluessel ist ungueltig."),
                    Locale.GERMAN);
            return messages;
        }

        /** An application may have more than one. */
        @Bean
        MessageSource otherMessages() {
            return new StaticMessageSource();
        }
    }

    @RestController
    static class Mistakes {

        private final ObjectProvider<Mistakes> self;

        private final TransactionLocks locks;

        Mistakes(ObjectProvider<Mistakes> self, TransactionLocks locks) {
            this.self = self;
            this.locks = locks;
        }

        @PostMapping("/locked")
        @Transactional
        @Idempotent(scope = "locked", key = "#key")
        public void locked(@IdempotencyKeyHeader String key) {
            locks.acquire("secret-name", "a", Duration.ofMillis(100));
        }

        @PostMapping("/rolled-back")
        @Transactional
        @Idempotent(scope = "rolled-back", key = "#key")
        public void rolledBack(@IdempotencyKeyHeader String key) {
            TransactionAspectSupport.currentTransactionStatus().setRollbackOnly();
        }

        @PostMapping("/reentrant")
        @Transactional
        @Idempotent(scope = "reentrant", key = "#key")
        public void reentrant(@IdempotencyKeyHeader String key) {
            self.getObject().reentrant(key);
        }

        @PostMapping("/number-as-key")
        @Transactional
        @Idempotent(scope = "number-as-key-scope", key = "1.5", fingerprint = "''")
        public void numberAsKey() {}

        @PostMapping("/blank-key")
        @Transactional
        @Idempotent(scope = "blank-key-scope", key = "' '", fingerprint = "''")
        public void blankKey() {}
    }
}
