package io.idempotency.sample;

import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import javax.sql.DataSource;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.simple.JdbcClient;

import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.TestSize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** Webhooks as the four providers send them, and as nobody should. */
@Tag("full")
class WebhooksTest {

    private static final String DELIVERY = "72d3162e-cc78-11e3-81ab-4c9367dc0958";

    private static final String MESSAGE = "msg_2KWPBgLlAfxdpx2AI54pPJ85f4W";

    private static final String PAID = WebhookDelivery.payload("stripe-invoice-paid.json");

    private static final String PAYMENT_SUCCEEDED = WebhookDelivery.payload("stripe-invoice-payment-succeeded.json");

    private static final String FINALIZED = WebhookDelivery.payload("stripe-invoice-finalized.json");

    private static final String OPENED = WebhookDelivery.payload("github-issues-opened.json");

    private static final String CLOSED = WebhookDelivery.payload("github-issues-closed.json");

    private static final String SENT = WebhookDelivery.payload("twilio-message-sent.form");

    private static final String COMPLETED = WebhookDelivery.payload("twilio-call-completed.form");

    private static final String CREATED = WebhookDelivery.payload("standard-contact-created.json");

    private static final String DELETED = WebhookDelivery.payload("standard-contact-deleted.json");

    private static final int MAX_BODY_SIZE = 4096;

    private static final int STEP_OF_TAMPERING = TestSize.pick(23, 1);

    private static RunningSample sample;

    private static JdbcClient jdbc;

    @BeforeAll
    static void start() {
        sample = RunningSample.start(
                "--sample.webhooks.public-url=" + WebhookDelivery.PUBLIC_URL + "/",
                "--sample.webhooks.max-body-size=" + MAX_BODY_SIZE + "B",
                "--idempotency.wait-timeout=2s");
        jdbc = sample.jdbc();
    }

    @AfterAll
    static void stop() {
        sample.close();
    }

    @BeforeEach
    void clear() {
        jdbc.sql("""
                truncate incoming_webhook, customer_invoice, repository_issue, communication, contact,
                idempotency.processed_message, idempotency.message_failure""").update();
    }

    /** A delivery, its id, its type, the table of its effect, and the one row that it leads to. */
    static Stream<Arguments> events() {
        return Stream.of(
                arguments(
                        WebhookDelivery.stripe(PAID),
                        "evt_1MtHbELkdIwHu7ixPaid0001",
                        "invoice.paid",
                        "customer_invoice",
                        "in_1MtHbELkdIwHu7ixl4OzzPMv paid"),
                arguments(
                        WebhookDelivery.github(DELIVERY, "issues", OPENED),
                        DELIVERY,
                        "issues",
                        "repository_issue",
                        "Codertocat/Hello-World 1 open"),
                arguments(
                        WebhookDelivery.twilio(SENT),
                        "SM1234567890abcdef1234567890abcdef:sent",
                        "message.sent",
                        "communication",
                        "SM1234567890abcdef1234567890abcdef sent"),
                arguments(
                        WebhookDelivery.twilio(COMPLETED),
                        "CA1234567890abcdef1234567890abcdef:completed",
                        "call.completed",
                        "communication",
                        "CA1234567890abcdef1234567890abcdef completed"),
                arguments(
                        WebhookDelivery.standard(MESSAGE, CREATED),
                        MESSAGE,
                        "contact.created",
                        "contact",
                        "1f81eb52-5198-4599-803e-771906343485 John Smith false"));
    }

    static Stream<WebhookDelivery> deliveries() {
        return events().map(event -> (WebhookDelivery) event.get()[0]);
    }

    @ParameterizedTest
    @MethodSource("events")
    void eventHasItsEffect(WebhookDelivery delivery, String id, String type, String table, String row)
            throws Exception {
        Answer answer = delivery.sendTo(sample);

        assertThat(answer.status()).isEqualTo(204);
        assertThat(answer.body()).isEmpty();
        assertThat(effects(table)).containsExactly(row);
        assertThat(kept()).containsExactly(delivery.provider() + " " + id + " " + type);
        assertThat(handled()).containsExactly(delivery.provider() + "-webhooks " + id + " " + type);
    }

    @ParameterizedTest
    @MethodSource("deliveries")
    void bodyIsKeptByteForByte(WebhookDelivery delivery) throws Exception {
        delivery.sendTo(sample);

        assertThat(jdbc.sql("select body from incoming_webhook")
                        .query(byte[].class)
                        .single())
                .isEqualTo(delivery.body());
    }

    @ParameterizedTest
    @MethodSource("deliveries")
    void tamperedBytesAreRefused(WebhookDelivery delivery) throws Exception {
        for (int i = 0; i < delivery.body().length; i += STEP_OF_TAMPERING) {
            byte[] tampered = delivery.body().clone();
            tampered[i] ^= 1;
            assertUnauthorized(delivery.withBody(tampered).sendTo(sample));
        }
        assertUnauthorized(delivery.withBody(new byte[0]).sendTo(sample));
        assertUnauthorized(delivery.withBody(
                        (new String(delivery.body(), StandardCharsets.UTF_8) + "&a=b").getBytes(StandardCharsets.UTF_8))
                .sendTo(sample));
        assertNothingIsWritten();
    }

    /** Decoded loosely, both would be the same text. */
    @Test
    void bytesThatAreNotUtf8AreNotTakenForTheReplacementCharacter() throws Exception {
        WebhookDelivery stripe = WebhookDelivery.stripe(PAID.replace("é", "\ufffd"));
        WebhookDelivery standard = WebhookDelivery.standard(MESSAGE, CREATED.replace("John", "\ufffd"));

        assertUnauthorized(
                stripe.withBody(withoutReplacementCharacter(stripe.body())).sendTo(sample));
        assertUnauthorized(
                standard.withBody(withoutReplacementCharacter(standard.body())).sendTo(sample));

        assertNothingIsWritten();
        assertThat(stripe.sendTo(sample).status()).isEqualTo(204);
    }

    @Test
    void signatureOfAnotherSecretIsRefused() throws Exception {
        Instant now = Instant.now();
        assertUnauthorized(WebhookDelivery.stripe("whsec_other", now, PAID).sendTo(sample));
        assertUnauthorized(
                WebhookDelivery.github("other", DELIVERY, "issues", OPENED).sendTo(sample));
        assertUnauthorized(WebhookDelivery.twilio("other", SENT).sendTo(sample));
        assertUnauthorized(WebhookDelivery.standard("whsec_b3RoZXI=", MESSAGE, now, CREATED)
                .sendTo(sample));

        assertNothingIsWritten();
    }

    static Stream<Arguments> headersOfSignatures() {
        return Stream.of(
                arguments(WebhookDelivery.stripe(PAID), "Stripe-Signature"),
                arguments(WebhookDelivery.github(DELIVERY, "issues", OPENED), "X-Hub-Signature-256"),
                arguments(WebhookDelivery.twilio(SENT), "X-Twilio-Signature"),
                arguments(WebhookDelivery.standard(MESSAGE, CREATED), "webhook-id"),
                arguments(WebhookDelivery.standard(MESSAGE, CREATED), "webhook-timestamp"),
                arguments(WebhookDelivery.standard(MESSAGE, CREATED), "webhook-signature"));
    }

    @ParameterizedTest
    @MethodSource("headersOfSignatures")
    void missingOrMalformedHeaderIsRefused(WebhookDelivery delivery, String header) throws Exception {
        String good = delivery.headers().get(header);

        assertUnauthorized(delivery.without(header).sendTo(sample));
        for (String malformed : List.of(
                "",
                "x",
                "=",
                ",",
                "t",
                "t=x,v1=y",
                "t=1,v1",
                "t=99999999999999999999,v1=0",
                "v1,",
                "v1, v1,",
                "v2" + good,
                good.substring(1),
                good + "0",
                "ä" + good)) {
            assertUnauthorized(delivery.with(header, malformed).sendTo(sample));
        }
        assertNothingIsWritten();
    }

    @Test
    void signatureThatIsTooOldIsRefused() throws Exception {
        Instant before = Instant.now().minusSeconds(310);
        assertUnauthorized(WebhookDelivery.stripe(WebhookDelivery.STRIPE_SECRET, before, PAID)
                .sendTo(sample));
        assertUnauthorized(WebhookDelivery.standard(WebhookDelivery.STANDARD_SECRET, MESSAGE, before, CREATED)
                .sendTo(sample));

        assertNothingIsWritten();
        Instant justNow = Instant.now().minusSeconds(240);
        assertThat(WebhookDelivery.stripe(WebhookDelivery.STRIPE_SECRET, justNow, PAID)
                        .sendTo(sample)
                        .status())
                .isEqualTo(204);
        assertThat(WebhookDelivery.standard(WebhookDelivery.STANDARD_SECRET, MESSAGE, justNow, CREATED)
                        .sendTo(sample)
                        .status())
                .isEqualTo(204);
    }

    @Test
    void oldSignatureWithANewTimeIsRefused() throws Exception {
        Instant before = Instant.now().minusSeconds(310);
        WebhookDelivery stripe = WebhookDelivery.stripe(WebhookDelivery.STRIPE_SECRET, before, PAID);
        String old = stripe.headers().get("Stripe-Signature");
        assertUnauthorized(
                stripe.with("Stripe-Signature", "t=" + Instant.now().getEpochSecond() + old.substring(old.indexOf(',')))
                        .sendTo(sample));
        assertUnauthorized(WebhookDelivery.standard(WebhookDelivery.STANDARD_SECRET, MESSAGE, before, CREATED)
                .with("webhook-timestamp", Long.toString(Instant.now().getEpochSecond()))
                .sendTo(sample));

        assertNothingIsWritten();
    }

    @Test
    void oneOfSeveralSignaturesSuffices() throws Exception {
        WebhookDelivery stripe = WebhookDelivery.stripe(PAID);
        String signature = stripe.headers().get("Stripe-Signature");
        WebhookDelivery standard = WebhookDelivery.standard(MESSAGE, CREATED);

        assertThat(stripe.with("Stripe-Signature", signature.replace(",v1=", ",v1=" + "0".repeat(64) + ",v1="))
                        .sendTo(sample)
                        .status())
                .isEqualTo(204);
        assertThat(standard.with(
                                "webhook-signature",
                                "v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc= "
                                        + standard.headers().get("webhook-signature"))
                        .sendTo(sample)
                        .status())
                .isEqualTo(204);
        assertThat(kept()).hasSize(2);
    }

    @Test
    void headersOfSvixAreThoseOfStandardWebhooks() throws Exception {
        WebhookDelivery standard = WebhookDelivery.standard(MESSAGE, CREATED);
        WebhookDelivery svix = standard;
        for (String name : List.of("id", "timestamp", "signature")) {
            svix = svix.with("svix-" + name, standard.headers().get("webhook-" + name))
                    .without("webhook-" + name);
        }

        assertThat(svix.sendTo(sample).status()).isEqualTo(204);
        assertThat(standard.sendTo(sample).status()).isEqualTo(204);

        assertThat(kept()).containsExactly("standard " + MESSAGE + " contact.created");
    }

    static Stream<List<String>> orders() {
        return Stream.of(
                List.of("queued", "sent", "delivered"),
                List.of("queued", "delivered", "sent"),
                List.of("sent", "queued", "delivered"),
                List.of("sent", "delivered", "queued"),
                List.of("delivered", "queued", "sent"),
                List.of("delivered", "sent", "queued"));
    }

    @ParameterizedTest
    @MethodSource("orders")
    void everyStatusOfAMessageIsReceivedAndTheLastOneStays(List<String> statuses) throws Exception {
        for (String status : statuses) {
            for (int i = 0; i < 3; i++) {
                assertThat(message(status).sendTo(sample).status()).isEqualTo(204);
            }
        }

        assertThat(kept()).hasSize(3);
        assertThat(handled()).hasSize(3);
        assertThat(effects("communication")).containsExactly("SM1234567890abcdef1234567890abcdef delivered");
    }

    /** In either order, and whatever Stripe tells late of what was before. */
    @Test
    void twoEventsOfOneChangeEndInTheSameState() throws Exception {
        for (List<String> order : List.of(
                List.of(PAID, PAYMENT_SUCCEEDED, FINALIZED),
                List.of(FINALIZED, PAYMENT_SUCCEEDED, PAID),
                List.of(PAYMENT_SUCCEEDED, FINALIZED, PAID))) {
            clear();
            for (String event : order) {
                assertThat(WebhookDelivery.stripe(event).sendTo(sample).status())
                        .isEqualTo(204);
            }
            assertThat(kept()).hasSize(3);
            assertThat(effects("customer_invoice")).containsExactly("in_1MtHbELkdIwHu7ixl4OzzPMv paid");
        }
    }

    @Test
    void whatWasBeforeDoesNotComeBack() throws Exception {
        WebhookDelivery.github("second", "issues", CLOSED).sendTo(sample);
        WebhookDelivery.github("first", "issues", OPENED).sendTo(sample);
        WebhookDelivery.standard("second", DELETED).sendTo(sample);
        WebhookDelivery.standard("first", CREATED).sendTo(sample);

        assertThat(kept()).hasSize(4);
        assertThat(effects("repository_issue")).containsExactly("Codertocat/Hello-World 1 closed");
        assertThat(jdbc.sql("select deleted from contact").query(Boolean.class).list())
                .containsExactly(true);
    }

    @Test
    void eventOfUnknownTypeOrStatusIsKeptWithoutAnEffect() throws Exception {
        String ping = "{\"zen\":\"Keep it logically awesome.\",\"hook_id\":1}";
        List<WebhookDelivery> unknown = List.of(
                WebhookDelivery.stripe("{\"id\":\"evt_1\",\"type\":\"charge.succeeded\",\"data\":{\"object\":{}}}"),
                WebhookDelivery.stripe(PAID.replace("\"paid\"", "\"new\"")),
                // A preview has no id.
                WebhookDelivery.stripe(
                        "{\"id\":\"evt_2\",\"type\":\"invoice.upcoming\",\"data\":{\"object\":{\"object\":\"invoice\"}}}"),
                WebhookDelivery.github(DELIVERY, "ping", ping),
                message("teleported"),
                WebhookDelivery.standard(MESSAGE, "{\"type\":\"user.created\",\"data\":{}}"));

        for (WebhookDelivery delivery : unknown) {
            assertThat(delivery.sendTo(sample).status()).isEqualTo(204);
        }

        assertThat(kept()).hasSize(unknown.size());
        assertNoEffect();
    }

    static Stream<WebhookDelivery> unreadable() {
        return Stream.of(
                WebhookDelivery.stripe(""),
                WebhookDelivery.stripe("{"),
                WebhookDelivery.stripe("[]"),
                WebhookDelivery.stripe("null"),
                WebhookDelivery.stripe("{\"type\":\"invoice.paid\"}"),
                WebhookDelivery.stripe("{\"id\":\"evt_1\"}"),
                WebhookDelivery.stripe("{\"id\":\" \",\"type\":\"invoice.paid\"}"),
                WebhookDelivery.stripe("{\"id\":{},\"type\":\"invoice.paid\"}"),
                WebhookDelivery.stripe("{\"id\":\"evt_1\",\"type\":\"a\\u0000b\"}"),
                WebhookDelivery.stripe("{\"id\":\"a\\u0007b\",\"type\":\"invoice.paid\"}"),
                WebhookDelivery.stripe("{\"id\":\"" + "e".repeat(256) + "\",\"type\":\"invoice.paid\"}"),
                WebhookDelivery.stripe("{\"a\":".repeat(600)),
                WebhookDelivery.github(DELIVERY, "issues", "payload=%7B%7D"),
                WebhookDelivery.github(DELIVERY, "issues", OPENED).without("X-GitHub-Delivery"),
                WebhookDelivery.github(DELIVERY, "issues", OPENED).without("X-GitHub-Event"),
                WebhookDelivery.twilio("MessageStatus=sent"),
                WebhookDelivery.twilio("MessageSid=SM%00&MessageStatus=sent"),
                WebhookDelivery.twilio("MessageSid=SM1"),
                WebhookDelivery.twilio("CallSid=&CallStatus=ringing"),
                WebhookDelivery.standard(MESSAGE, "Hello"),
                WebhookDelivery.standard(MESSAGE, "{}"));
    }

    @ParameterizedTest
    @MethodSource("unreadable")
    void whatIsSignedButNamesNoEventIsABadRequest(WebhookDelivery delivery) throws Exception {
        assertProblem(delivery.sendTo(sample), 400);

        assertNothingIsWritten();
    }

    static Stream<WebhookDelivery> incomplete() {
        return Stream.of(
                WebhookDelivery.stripe(PAID.replace("\"status\"", "\"stat\"")),
                WebhookDelivery.github(DELIVERY, "issues", "{}"),
                WebhookDelivery.github(DELIVERY, "issues", OPENED.replace("2019-05-15T15:20:18Z", "yesterday")),
                WebhookDelivery.github(DELIVERY, "issues", OPENED.replace("\"number\": 1,", "\"number\": 1.5,")),
                WebhookDelivery.standard(MESSAGE, CREATED.replace("John Smith", "John\\u0000Smith")),
                WebhookDelivery.standard(MESSAGE, "{\"type\":\"contact.created\",\"data\":{\"id\":\"1\"}}"));
    }

    /** Operators see it among the messages that fail. */
    @ParameterizedTest
    @MethodSource("incomplete")
    void eventThatLacksWhatItsTypePromisesIsABadRequest(WebhookDelivery delivery) throws Exception {
        assertProblem(delivery.sendTo(sample), 400);

        assertNoEffect();
        assertThat(kept()).isEmpty();
        assertThat(failures()).containsExactly(1);
    }

    @Test
    void idThatComesBackWithAnotherBodyIsRefusedWhereItIsNotSigned() throws Exception {
        WebhookDelivery.github(DELIVERY, "issues", OPENED).sendTo(sample);

        assertProblem(WebhookDelivery.github(DELIVERY, "issues", CLOSED).sendTo(sample), 422);

        assertThat(effects("repository_issue")).containsExactly("Codertocat/Hello-World 1 open");
        assertThat(kept()).hasSize(1);
    }

    @Test
    void changedBodyOfTheSameEventIsADuplicateElsewhere() throws Exception {
        WebhookDelivery.stripe(PAID).sendTo(sample);

        assertThat(WebhookDelivery.stripe(PAID.replace("\"pending_webhooks\": 1", "\"pending_webhooks\": 0"))
                        .sendTo(sample)
                        .status())
                .isEqualTo(204);
        assertThat(kept()).hasSize(1);
    }

    @Test
    void longestBodyIsTakenAndALongerOneIsNot() throws Exception {
        String longest = PAID + " ".repeat(MAX_BODY_SIZE - PAID.getBytes(StandardCharsets.UTF_8).length);

        assertProblem(WebhookDelivery.stripe(longest + " ").sendTo(sample), 413);
        assertProblem(WebhookDelivery.stripe(longest + " ").sendInChunksTo(sample), 413);
        assertNothingIsWritten();
        assertThat(WebhookDelivery.stripe(longest).sendTo(sample).status()).isEqualTo(204);
        assertThat(WebhookDelivery.stripe(longest).sendInChunksTo(sample).status())
                .isEqualTo(204);
        assertThat(kept()).hasSize(1);
    }

    @Test
    void endOfABodyThatIsTooLongIsNotWaitedFor() throws Exception {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), sample.port())) {
            socket.setSoTimeout(30_000);
            String request = "POST /webhooks/stripe HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + Integer.toHexString(MAX_BODY_SIZE + 1) + "\r\n" + " ".repeat(MAX_BODY_SIZE + 1) + "\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));

            String statusLine = "HTTP/1.1 413";
            assertThat(socket.getInputStream().readNBytes(statusLine.length()))
                    .asString(StandardCharsets.US_ASCII)
                    .isEqualTo(statusLine);
        }
    }

    static Stream<Arguments> tablesOfEffects() {
        return events().map(event -> arguments(event.get()[0], event.get()[3], event.get()[4]));
    }

    @ParameterizedTest
    @MethodSource("tablesOfEffects")
    void failureWritesNothingAndTheNextDeliverySucceeds(WebhookDelivery delivery, String table, String row)
            throws Exception {
        jdbc.sql("alter table " + table + " rename to hidden").update();
        try {
            assertProblem(delivery.sendTo(sample), 500);
            assertProblem(delivery.sendTo(sample), 500);
        } finally {
            jdbc.sql("alter table hidden rename to " + table).update();
        }
        assertThat(kept()).isEmpty();
        assertThat(handled()).isEmpty();
        assertThat(failures()).containsExactly(2);

        assertThat(delivery.sendTo(sample).status()).isEqualTo(204);

        assertThat(effects(table)).containsExactly(row);
        assertThat(kept()).hasSize(1);
        assertThat(failures()).isEmpty();
    }

    /** The effect comes first, so that this is about an effect that is there and is taken back. */
    @ParameterizedTest
    @MethodSource("tablesOfEffects")
    void effectIsTakenBackWithTheEvent(WebhookDelivery delivery, String table, String row) throws Exception {
        jdbc.sql("alter table incoming_webhook rename to hidden").update();
        try {
            assertProblem(delivery.sendTo(sample), 500);
        } finally {
            jdbc.sql("alter table hidden rename to incoming_webhook").update();
        }

        assertThat(effects(table)).isEmpty();
        assertThat(delivery.sendTo(sample).status()).isEqualTo(204);
        assertThat(effects(table)).containsExactly(row);
    }

    @Test
    void duplicateOfAnEventThatIsBeingHandledIsToldToComeBack() throws Exception {
        WebhookDelivery delivery = WebhookDelivery.stripe(PAID);
        ConcurrentCalls<Answer> running;
        Answer refused;
        try (Connection blocker = sample.application().getBean(DataSource.class).getConnection()) {
            blocker.setAutoCommit(false);
            blocker.createStatement().execute("lock table customer_invoice in exclusive mode");
            running = ConcurrentCalls.start(1, () -> delivery.sendTo(sample));
            await().until(() -> waitingTransactions() == 1);

            refused = delivery.sendTo(sample);

            blocker.rollback();
        }
        assertProblem(refused, 409);
        assertThat(refused.retryAfter()).isEqualTo("2");
        assertThat(running.await().requireAllSucceeded().get(0).status()).isEqualTo(204);
        assertThat(delivery.sendTo(sample).status()).isEqualTo(204);
        assertThat(kept()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"unknown", "Stripe"})
    void unknownProviderIsNotFound(String provider) throws Exception {
        WebhookDelivery stripe = WebhookDelivery.stripe(PAID);

        assertProblem(new WebhookDelivery(provider, stripe.headers(), stripe.body()).sendTo(sample), 404);
    }

    private static WebhookDelivery message(String status) {
        return WebhookDelivery.twilio(SENT.replace("Status=sent", "Status=" + status));
    }

    private static byte[] withoutReplacementCharacter(byte[] body) {
        return new String(body, StandardCharsets.UTF_8)
                .replace('\ufffd', '\u00ff')
                .getBytes(StandardCharsets.ISO_8859_1);
    }

    private static void assertUnauthorized(Answer answer) {
        assertProblem(answer, 401);
    }

    private static void assertProblem(Answer answer, int status) {
        assertThat(answer.status()).as(answer.body()).isEqualTo(status);
        assertThat(answer.contentType()).isEqualTo("application/problem+json");
        assertThat(answer.number("$.status")).isEqualTo(status);
        assertThat(answer.body()).doesNotContain("io.idempotency", "Exception", WebhookDelivery.SECRET);
    }

    private static void assertNothingIsWritten() {
        assertThat(kept()).isEmpty();
        assertThat(handled()).isEmpty();
        assertThat(failures()).isEmpty();
        assertNoEffect();
    }

    private static void assertNoEffect() {
        for (String table : List.of("customer_invoice", "repository_issue", "communication", "contact")) {
            assertThat(effects(table)).isEmpty();
        }
    }

    /** What matters of each row. */
    private static List<String> effects(String table) {
        String columns = switch (table) {
            case "customer_invoice" -> "invoice_id, status";
            case "repository_issue" -> "repository, number, state";
            case "communication" -> "sid, status";
            default -> "contact_id, full_name, deleted::text";
        };
        return texts("select concat_ws(' ', " + columns + ") from " + table);
    }

    private static List<String> kept() {
        return texts("select concat_ws(' ', provider, event_id, event_type) from incoming_webhook");
    }

    private static List<String> handled() {
        return texts(
                "select concat_ws(' ', consumer, message_id, message_type) from idempotency.processed_message order by 1");
    }

    private static List<Integer> failures() {
        return jdbc.sql("select attempt_count from idempotency.message_failure")
                .query(Integer.class)
                .list();
    }

    private static List<String> texts(String sql) {
        return jdbc.sql(sql).query(String.class).list();
    }

    private static long waitingTransactions() {
        return jdbc.sql("select count(*) from pg_stat_activity where wait_event_type = 'Lock'")
                .query(Long.class)
                .single();
    }
}
