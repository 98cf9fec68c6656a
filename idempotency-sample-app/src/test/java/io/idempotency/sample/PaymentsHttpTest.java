package io.idempotency.sample;

import java.sql.Connection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import io.idempotency.test.ConcurrentCalls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** The wallet as its clients see it, on the database that it brings along. */
class PaymentsHttpTest {

    private static final String PROBLEM = "application/problem+json";

    @AutoClose
    private static final RunningSample SAMPLE = RunningSample.start("--idempotency.wait-timeout=2s");

    private static final WalletClient WALLET = SAMPLE.wallet();

    /** Different in every test, so that each sees its own claims and payments only. */
    private final String key = UUID.randomUUID().toString();

    private long balanceBefore;

    @BeforeEach
    void readBalance() throws Exception {
        balanceBefore = balance();
    }

    /** The page shows it beside a payment with a key: it locks the account in one transaction, and recognises no repeat. */
    @Test
    void withoutAKeyEachAttemptIsAPayment() throws Exception {
        Answer first = WALLET.post("/demo/payments-without-key", null, order(1250));
        Answer second = WALLET.post("/demo/payments-without-key", null, order(1250));

        assertThat(List.of(first.status(), second.status())).containsOnly(201);
        assertThat(second.text("$.paymentId")).isNotEqualTo(first.text("$.paymentId"));
        assertThat(spent()).isEqualTo(2500);
    }

    @Test
    void paymentIsMadeAndFound() throws Exception {
        Answer paid = WALLET.pay(key, order(1250));

        assertThat(paid.status()).isEqualTo(201);
        assertThat(paid.contentType()).isEqualTo("application/json");
        assertThat(paid.location()).isEqualTo("/payments/" + paid.text("$.paymentId"));
        assertThat(paid.json())
                .containsAllEntriesOf(Map.of(
                        "accountId",
                        "alice",
                        "amountCents",
                        1250,
                        "currency",
                        "EUR",
                        "reference",
                        key,
                        "status",
                        "COMPLETED"));
        assertThat(paid.text("$.createdAt")).endsWith("Z");
        assertThat(paid.replayed()).isNull();
        assertThat(WALLET.get(paid.location()).body()).isEqualTo(paid.body());
        assertThat(WALLET.get("/payments?accountId=alice").body())
                .startsWith("[" + paid.body())
                .endsWith("]");
        assertThat(spent()).isEqualTo(1250);
        assertThat(SAMPLE.texts("""
                select result_ref_type || ' ' || result_ref_id from idempotency.idempotency_request
                where request_id = idempotency.idempotency_request_id('payments', ?)""", key))
                .as("what the claim names")
                .containsExactly("payment " + paid.text("$.paymentId"));
    }

    @Test
    void repeatGetsTheFirstAnswerByteForByteMarkedAsReplay() throws Exception {
        Answer first = WALLET.pay(key, order(1250));
        // Other spelling of the same payload.
        Answer second = WALLET.pay(key, order(1250).replace(",", " ,\n  "));

        assertThat(second).isEqualTo(first.asReplay());
        assertThat(payments()).isEqualTo(1);
        assertThat(spent()).isEqualTo(1250);
    }

    @Test
    @Tag("race")
    void simultaneousRepeatsMakeOnePayment() throws Exception {
        List<Answer> answers =
                ConcurrentCalls.run(20, () -> WALLET.pay(key, order(1250))).requireAllSucceeded();

        assertThat(answers)
                .hasSize(20)
                .extracting(Answer::asReplay)
                .containsOnly(answers.get(0).asReplay());
        assertThat(answers).filteredOn(answer -> answer.replayed() == null).hasSize(1);
        assertThat(answers.get(0).status()).isEqualTo(201);
        assertThat(payments()).isEqualTo(1);
        assertThat(spent()).isEqualTo(1250);
    }

    @Test
    void keyWithAnotherPayloadIsRefused() throws Exception {
        Answer first = WALLET.pay(key, order(1250));

        assertRefused(WALLET.pay(key, order(1251)), 422, "key-reused");

        assertThat(WALLET.pay(key, order(1250))).isEqualTo(first.asReplay());
        assertThat(spent()).isEqualTo(1250);
    }

    @Test
    void repeatOfRunningRequestIsToldToComeBack() throws Exception {
        Answer refused;
        ConcurrentCalls<Answer> running;
        try (Connection blocker = SAMPLE.begin("select from account for update")) {
            running = ConcurrentCalls.start(1, () -> WALLET.pay(key, order(1250)));
            SAMPLE.awaitWaiting(1);
            refused = WALLET.pay(key, order(1250));
            blocker.rollback();
        }
        assertRefused(refused, 409, "in-progress");
        assertThat(refused.retryAfter()).isEqualTo("2");
        Answer first = running.await().requireAllSucceeded().get(0);
        assertThat(first.status()).isEqualTo(201);
        assertThat(WALLET.pay(key, order(1250))).isEqualTo(first.asReplay());
        assertThat(spent()).isEqualTo(1250);
    }

    @Test
    void unknownAccountIsRefusedEachTimeAndBindsNothing() throws Exception {
        String unknown = order(1250).replace("alice", "nobody");

        Answer refused = WALLET.pay(key, unknown);

        assertProblem(refused, 404, "Unknown account");
        assertThat(WALLET.pay(key, unknown)).isEqualTo(refused);
        assertThat(claim()).isEqualTo("failed_retryable 2");
        assertThat(WALLET.pay(key, order(1250)).status()).isEqualTo(201);
    }

    @Test
    void insufficientFundsAreTheAnswerForGood() throws Exception {
        Answer refused = WALLET.pay(key, order(balanceBefore + 1));

        assertProblem(refused, 422, "Insufficient funds");
        assertThat(WALLET.pay(key, order(balanceBefore + 1))).isEqualTo(refused.asReplay());
        assertThat(claim()).isEqualTo("failed_final 1");
        assertThat(payments()).isZero();
        assertThat(spent()).isZero();
        assertRefused(WALLET.pay(key, order(1250)), 422, "key-reused");
    }

    @Test
    @Tag("race")
    void competingPaymentsNeverOverdraw() throws Exception {
        String account = UUID.randomUUID().toString();
        WALLET.open(account, 1_000_000);
        String half = order(500_000).replace("alice", account);

        List<Answer> answers =
                ConcurrentCalls.run(10, index -> WALLET.pay(key + index, half)).requireAllSucceeded();

        assertThat(answers).filteredOn(answer -> answer.status() == 201).hasSize(2);
        assertThat(answers).filteredOn(answer -> answer.status() == 422).hasSize(8);
        assertThat(WALLET.get("/accounts/" + account).number("$.balanceCents")).isZero();
    }

    static Stream<Arguments> badBodies() {
        String good = order("x", 1250);
        return Stream.of(
                arguments("", "JSON"),
                arguments("{\"accountId\"", "JSON"),
                arguments("null", "JSON"),
                arguments("[]", "JSON"),
                arguments("{}", "accountId"),
                arguments("{}", "amountCents"),
                arguments("{}", "currency"),
                arguments("{}", "reference"),
                arguments(good.replace("alice", " "), "accountId"),
                arguments(good.replace("alice", "a".repeat(65)), "accountId"),
                arguments(good.replace("1250", "null"), "amountCents"),
                arguments(good.replace("1250", "0"), "amountCents"),
                arguments(good.replace("1250", "-5"), "amountCents"),
                arguments(good.replace("1250", "12.5"), "amountCents"),
                arguments(good.replace("1250", "\"1250\""), "amountCents"),
                arguments(good.replace("1250", "99999999999999999999"), "amountCents"),
                arguments(good.replace("EUR", "XXX"), "currency"),
                arguments(good.replace("\"EUR\"", "0"), "currency"),
                arguments(good.replace("\"x\"", "\"" + "r".repeat(101) + "\""), "reference"),
                arguments(good.replace("\"x\"", "\"a\\u0000b\""), "reference"),
                arguments(good.replace("\"x\"", "\"a\\ud800b\""), "reference"));
    }

    @ParameterizedTest
    @MethodSource("badBodies")
    void badBodyIsRefusedEachTimeAndBindsNothing(String body, String mention) throws Exception {
        Answer refused = WALLET.pay(key, body);

        assertProblem(refused, 400, "Request is not valid");
        assertThat(refused.text("$.detail")).contains(mention).doesNotContain("idempotency.sample");
        assertThat(WALLET.pay(key, body)).isEqualTo(refused);
        assertThat(SAMPLE.count("idempotency.idempotency_request where idempotency_key = ?", key))
                .isZero();
    }

    @Test
    void unexpectedErrorIsAnInternalErrorAndBindsNothing() throws Exception {
        SAMPLE.jdbc().execute("alter table payment rename to hidden");
        try {
            Answer answer = WALLET.pay(key, order(1250));
            assertProblem(answer, 500, "Internal error");
            assertThat(answer.text("$.detail")).doesNotContain("io.idempotency", "Exception", "payment", "SQL");
        } finally {
            SAMPLE.jdbc().execute("alter table hidden rename to payment");
        }

        assertThat(claim()).isEqualTo("failed_retryable 1");
        assertThat(spent()).isZero();
        assertThat(WALLET.pay(key, order(1250)).status()).isEqualTo(201);
    }

    @Test
    void whatDoesNotExistIsNotFound() throws Exception {
        assertProblem(WALLET.get("/payments/" + UUID.randomUUID()), 404, "Unknown payment");
        assertProblem(WALLET.get("/payments?accountId=nobody"), 404, "Unknown account");
        assertProblem(WALLET.get("/accounts/nobody"), 404, "Unknown account");
        assertProblem(WALLET.get("/nothing"), 404, "Not Found");
    }

    @Test
    void badParameterIsRefused() throws Exception {
        assertProblem(WALLET.get("/payments/1"), 400, "Bad Request");
        assertProblem(WALLET.get("/payments"), 400, "Bad Request");
        Answer refused = WALLET.get("/payments?accountId=a%00");
        assertProblem(refused, 400, "Request is not valid");
        assertThat(refused.text("$.detail")).contains("accountId");
    }

    /** By the starter: its problems have a type of their own. */
    private static void assertRefused(Answer answer, int status, String problem) {
        assertProblem(answer, status);
        assertThat(answer.text("$.type")).isEqualTo("urn:problem-type:idempotency:" + problem);
        assertThat(answer.text("$.title")).isNotBlank();
    }

    private static void assertProblem(Answer answer, int status, String title) {
        assertProblem(answer, status);
        assertThat(answer.text("$.title")).isEqualTo(title);
    }

    private static void assertProblem(Answer answer, int status) {
        assertThat(answer.status()).as(answer.body()).isEqualTo(status);
        assertThat(answer.contentType()).isEqualTo(PROBLEM);
        assertThat(answer.number("$.status")).isEqualTo(status);
        assertThat(answer.text("$.detail")).isNotBlank();
        assertThat(answer.replayed()).isNull();
    }

    private String order(long amountCents) {
        return order(key, amountCents);
    }

    private static String order(String reference, long amountCents) {
        return "{\"accountId\":\"alice\",\"amountCents\":" + amountCents + ",\"currency\":\"EUR\",\"reference\":\""
                + reference + "\"}";
    }

    private static long balance() throws Exception {
        return WALLET.get("/accounts/alice").number("$.balanceCents");
    }

    private long spent() throws Exception {
        return balanceBefore - balance();
    }

    private long payments() {
        return SAMPLE.count("payment where reference = ?", key);
    }

    /** Its status, and how many attempts have failed or succeeded. */
    private String claim() {
        String sql =
                "select status || ' ' || attempt_count from idempotency.idempotency_request where idempotency_key = ?";
        return SAMPLE.jdbc().queryForObject(sql, String.class, key);
    }
}
