package io.idempotency.boot.web;

import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

import io.idempotency.CallerResolver;
import io.idempotency.boot.testing.Answer;
import io.idempotency.boot.testing.HttpApplication;
import io.idempotency.boot.testing.HttpCall;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Every rule of draft-ietf-httpapi-idempotency-key-header-07 that concerns a server, in its order. The table in
 * {@code docs/http.md} names these tests.
 */
@PostgresTest
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DraftTest {

    private static final String DOCUMENTATION = "https://api.example.com/idempotency";

    @AutoClose
    private final HttpApplication application;

    DraftTest(TestDatabase database) {
        Orders.createTable(database);
        application = HttpApplication.start(
                database,
                List.of(Orders.class, Clients.class),
                "idempotency.http.documentation-url=" + DOCUMENTATION,
                "idempotency.purge.interval=100ms");
    }

    @AfterEach
    void clear() {
        Orders.clear(application);
    }

    @Test
    void theFieldIsAString() throws Exception {
        assertThat(order("\"8e03978e-40d5-43e8-bc93-6894a57f9324\"").send().status())
                .isEqualTo(201);
        assertThat(order("\"not closed").send().status()).isEqualTo(400);

        assertThat(storedKeys()).containsExactly("8e03978e-40d5-43e8-bc93-6894a57f9324");
    }

    @Test
    void moreThanOneFieldIsRefused() throws Exception {
        Answer refused = order("\"one\"").key("\"two\"").send();

        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.problem()).isEqualTo("invalid-key");
        assertThat(Orders.count(application)).isZero();
    }

    @Test
    void aKeyIsNotReusedForAnotherPayload() throws Exception {
        order("\"key\"").send();

        Answer refused =
                application.post("/orders").key("\"key\"").json(Orders.COFFEE).send();

        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.problem()).isEqualTo("key-reused");
        assertThat(refused.isReplayed()).isFalse();
        assertThat(Orders.count(application)).isEqualTo(1);
    }

    @Test
    void keysExpire() throws Exception {
        order("\"key\"").send();
        application
                .jdbc()
                .update(
                        "update idempotency.idempotency_request set expires_at = clock_timestamp() - interval '1 second'");
        await().until(() -> application.requests() == 0);

        assertThat(order("\"key\"").send().isReplayed()).isFalse();
        assertThat(Orders.count(application)).isEqualTo(2);
    }

    @Test
    void theFingerprintIsOfSelectedElements() throws Exception {
        Answer first = order("\"key\"").send();

        Answer repeat = application
                .post("/orders")
                .key("\"key\"")
                .json("{ \"quantity\": 2.0, \"item\": \"tea\" }")
                .header("X-Attempt", "2")
                .send();

        assertThat(repeat.isReplayed()).isTrue();
        assertThat(repeat.body()).isEqualTo(first.body());
    }

    @Test
    void theSpecificationIsLinkedToByEveryRefusal() throws Exception {
        order("\"key\"").send();

        assertThat(List.of(
                        application.post("/orders").json(Orders.TEA).send(),
                        order("\"not closed").send(),
                        application
                                .post("/orders")
                                .key("\"key\"")
                                .json(Orders.COFFEE)
                                .send()))
                .extracting(refused -> refused.header("Link"))
                .containsOnly("<" + DOCUMENTATION + ">; rel=\"describedby\"");
    }

    @Test
    void theKeyIsIdentifiedFromTheHeader() throws Exception {
        order("\"key\"").send();

        assertThat(storedKeys()).containsExactly("key");
    }

    @Test
    void aFirstRequestIsProcessedNormally() throws Exception {
        Answer first = order("\"key\"").send();

        assertThat(first.status()).isEqualTo(201);
        assertThat(first.header("Location")).isEqualTo("/orders/" + first.text("$.id"));
        assertThat(first.isReplayed()).isFalse();
        assertThat(Orders.count(application)).isEqualTo(1);
    }

    @Test
    void aRetryIsAnsweredWithTheResultOfTheCompletedOperation() throws Exception {
        Answer first = order("\"key\"").send();

        Answer retry = order("\"key\"").send();

        assertThat(retry.isReplayed()).isTrue();
        assertThat(retry.withoutMark()).isEqualTo(first);
        assertThat(Orders.count(application)).isEqualTo(1);
    }

    @Test
    void aRetryIsAnsweredWithTheErrorOfTheFailedOperation() throws Exception {
        String nothing = "{\"item\":\"nothing\",\"quantity\":1}";
        application.post("/orders").key("\"key\"").json(nothing).send();

        Answer retry = application.post("/orders").key("\"key\"").json(nothing).send();

        assertThat(retry.status()).isEqualTo(422);
        assertThat(retry.problem()).isEqualTo("recorded-failure");
        assertThat(retry.isReplayed()).isTrue();
    }

    @Test
    void aConcurrentRequestIsAConflict() throws Exception {
        Orders.Service orders = application.bean(Orders.Service.class);
        orders.hold();
        ConcurrentCalls<Answer> first =
                ConcurrentCalls.start(1, () -> order("\"key\"").send());
        orders.awaitHeld();

        Answer concurrent = order("\"key\"").send();

        assertThat(concurrent.status()).isEqualTo(409);
        assertThat(concurrent.problem()).isEqualTo("in-progress");
        assertThat(concurrent.header("Retry-After")).isEqualTo("1");
        assertThat(concurrent.isReplayed()).isFalse();
        orders.release();
        assertThat(first.await().requireAllSucceeded().get(0).status()).isEqualTo(201);
        assertThat(order("\"key\"").send().status()).isEqualTo(201);
        assertThat(Orders.count(application)).isEqualTo(1);
    }

    @Test
    void aMissingKeyIsABadRequest() throws Exception {
        Answer refused = application.post("/orders").json(Orders.TEA).send();

        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(refused.problem()).isEqualTo("missing-key");
        assertThat(Orders.count(application)).isZero();
    }

    @Test
    void anUncorrectedRetryFailsWithTheSameError() throws Exception {
        order("\"key\"").send();
        HttpCall reuse = application.post("/orders").key("\"key\"").json(Orders.COFFEE);

        assertThat(reuse.send()).isEqualTo(reuse.send());
    }

    @Test
    void aKeyIsValidatedBeforeTheRequestIsProcessed() throws Exception {
        Answer refused = application
                .post("/orders")
                .key("x".repeat(256))
                .json("this is not even JSON")
                .send();

        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.problem()).isEqualTo("invalid-key");
    }

    @Test
    void theLookupIsByCallerToo() throws Exception {
        Answer ofOne = order("\"key\"").header("X-Client", "one").send();

        Answer ofOther = order("\"key\"").header("X-Client", "other").send();

        assertThat(ofOther.isReplayed()).isFalse();
        assertThat(ofOther.text("$.id")).isNotEqualTo(ofOne.text("$.id"));
        assertThat(Orders.count(application)).isEqualTo(2);
    }

    private HttpCall order(String key) {
        return application.post("/orders").key(key).json(Orders.TEA);
    }

    private List<String> storedKeys() {
        return application
                .jdbc()
                .queryForList("select idempotency_key from idempotency.idempotency_request", String.class);
    }

    static class Clients implements CallerResolver {

        @Override
        public String resolveCaller() {
            ServletRequestAttributes attributes =
                    (ServletRequestAttributes) RequestContextHolder.currentRequestAttributes();
            String client = attributes.getRequest().getHeader("X-Client");
            return client == null ? "" : client;
        }
    }
}
