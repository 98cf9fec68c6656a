package io.idempotency.sample;

import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.TestSize;

import static io.idempotency.sample.WebhookDelivery.PUBLIC_URL;
import static io.idempotency.sample.WebhookDelivery.SECRET;
import static io.idempotency.sample.WebhookDelivery.STANDARD_SECRET;
import static io.idempotency.sample.WebhookDelivery.STRIPE_SECRET;
import static io.idempotency.sample.WebhookDelivery.github;
import static io.idempotency.sample.WebhookDelivery.payload;
import static io.idempotency.sample.WebhookDelivery.standard;
import static io.idempotency.sample.WebhookDelivery.stripe;
import static io.idempotency.sample.WebhookDelivery.twilio;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** Webhooks as the four providers send them, and as nobody should. */
@Tag("full")
class WebhooksTest {

    private static final String DELIVERY = "72d3162e-cc78-11e3-81ab-4c9367dc0958";

    private static final String MESSAGE = "msg_2KWPBgLlAfxdpx2AI54pPJ85f4W";

    private static final String PAID = payload("stripe-invoice-paid.json");

    private static final String PAYMENT_SUCCEEDED = payload("stripe-invoice-payment-succeeded.json");

    private static final String FINALIZED = payload("stripe-invoice-finalized.json");

    private static final String OPENED = payload("github-issues-opened.json");

    private static final String CLOSED = payload("github-issues-closed.json");

    private static final String SENT = payload("twilio-message-sent.form");

    private static final String COMPLETED = payload("twilio-call-completed.form");

    private static final String CREATED = payload("standard-contact-created.json");

    private static final String DELETED = payload("standard-contact-deleted.json");

    private static final int MAX_BODY_SIZE = 4096;

    private static final int STEP_OF_TAMPERING = TestSize.pick(23, 1);

    @AutoClose
    private static final RunningSample SAMPLE = RunningSample.start(
            "--sample.webhooks.public-url=" + PUBLIC_URL + "/",
            "--sample.webhooks.max-body-size=" + MAX_BODY_SIZE + "B",
            "--idempotency.wait-timeout=2s");

    @BeforeEach
    void clear() {
        SAMPLE.jdbc().execute("""
                truncate incoming_webhook, customer_invoice, repository_issue, communication, contact,
                idempotency.processed_message, idempotency.message_failure""");
    }

    /** A delivery, its id, its type, the table of its effect, and the one row that it leads to. */
    static Stream<Arguments> events() {
        return Stream.of(
                arguments(
                        stripe(PAID),
                        "evt_1MtHbELkdIwHu7ixPaid0001",
                        "invoice.paid",
                        "customer_invoice",
                        "in_1MtHbELkdIwHu7ixl4OzzPMv paid"),
                arguments(
                        github(DELIVERY, "issues", OPENED),
                        DELIVERY,
                        "issues",
                        "repository_issue",
                        "Codertocat/Hello-World 1 open"),
                arguments(
                        twilio(SENT),
                        "SM1234567890abcdef1234567890abcdef:sent",
                        "message.sent",
                        "communication",
                        "SM1234567890abcdef1234567890abcdef sent"),
                arguments(
                        twilio(COMPLETED),
                        "CA1234567890abcdef1234567890abcdef:completed",
                        "call.completed",
                        "communication",
                        "CA1234567890abcdef1234567890abcdef completed"),
                arguments(
                        standard(MESSAGE, CREATED),
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
    void eventHasItsEffectAndItsBodyIsKeptByteForByte(
            WebhookDelivery delivery, String id, String type, String table, String row) throws Exception {
        Answer answer = send(delivery);

        assertThat(answer.status()).isEqualTo(204);
        assertThat(answer.body()).isEmpty();
        assertThat(effects(table)).containsExactly(row);
        assertThat(kept()).containsExactly(delivery.provider() + " " + id + " " + type);
        assertThat(handled()).containsExactly(delivery.provider() + "-webhooks " + id + " " + type);
        assertThat(SAMPLE.jdbc().queryForObject("select body from incoming_webhook", byte[].class))
                .isEqualTo(delivery.body());
    }

    @ParameterizedTest
    @MethodSource("deliveries")
    void tamperedBytesAreRefused(WebhookDelivery delivery) throws Exception {
        for (int i = 0; i < delivery.body().length; i += STEP_OF_TAMPERING) {
            byte[] tampered = delivery.body().clone();
            tampered[i] ^= 1;
            assertUnauthorized(delivery.withBody(tampered));
        }
        byte[] longer = (new String(delivery.body(), StandardCharsets.UTF_8) + "&a=b").getBytes(StandardCharsets.UTF_8);
        assertUnauthorized(delivery.withBody(new byte[0]), delivery.withBody(longer));
        assertNothingIsWritten();
    }

    /** Decoded loosely, both would be the same text. */
    @Test
    void bytesThatAreNotUtf8AreNotTakenForTheReplacementCharacter() throws Exception {
        WebhookDelivery stripe = stripe(PAID.replace("é", "\ufffd"));
        WebhookDelivery standard = standard(MESSAGE, CREATED.replace("John", "\ufffd"));

        assertUnauthorized(
                stripe.withBody(withoutReplacementCharacter(stripe.body())),
                standard.withBody(withoutReplacementCharacter(standard.body())));

        assertNothingIsWritten();
        assertAccepted(stripe);
    }

    @Test
    void signatureOfAnotherSecretIsRefused() throws Exception {
        Instant now = Instant.now();

        assertUnauthorized(
                stripe("whsec_other", now, PAID),
                github("other", DELIVERY, "issues", OPENED),
                twilio("other", SENT),
                standard("whsec_b3RoZXI=", MESSAGE, now, CREATED));
        assertNothingIsWritten();
    }

    static Stream<Arguments> headersOfSignatures() {
        return Stream.of(
                arguments(stripe(PAID), "Stripe-Signature"),
                arguments(github(DELIVERY, "issues", OPENED), "X-Hub-Signature-256"),
                arguments(twilio(SENT), "X-Twilio-Signature"),
                arguments(standard(MESSAGE, CREATED), "webhook-id"),
                arguments(standard(MESSAGE, CREATED), "webhook-timestamp"),
                arguments(standard(MESSAGE, CREATED), "webhook-signature"));
    }

    @ParameterizedTest
    @MethodSource("headersOfSignatures")
    void missingOrMalformedHeaderIsRefused(WebhookDelivery delivery, String header) throws Exception {
        String good = delivery.headers().get(header);

        assertUnauthorized(delivery.without(header));
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
            assertUnauthorized(delivery.with(header, malformed));
        }
        assertNothingIsWritten();
    }

    @Test
    void signatureThatIsTooOldIsRefused() throws Exception {
        Instant before = Instant.now().minusSeconds(310);
        Instant justNow = Instant.now().minusSeconds(240);

        assertUnauthorized(stripe(STRIPE_SECRET, before, PAID), standard(STANDARD_SECRET, MESSAGE, before, CREATED));
        assertNothingIsWritten();
        assertAccepted(stripe(STRIPE_SECRET, justNow, PAID), standard(STANDARD_SECRET, MESSAGE, justNow, CREATED));
    }

    @Test
    void oldSignatureWithANewTimeIsRefused() throws Exception {
        Instant before = Instant.now().minusSeconds(310);
        String now = Long.toString(Instant.now().getEpochSecond());
        WebhookDelivery stripe = stripe(STRIPE_SECRET, before, PAID);
        String old = stripe.headers().get("Stripe-Signature");

        assertUnauthorized(
                stripe.with("Stripe-Signature", "t=" + now + old.substring(old.indexOf(','))),
                standard(STANDARD_SECRET, MESSAGE, before, CREATED).with("webhook-timestamp", now));
        assertNothingIsWritten();
    }

    @Test
    void oneOfSeveralSignaturesSuffices() throws Exception {
        WebhookDelivery stripe = stripe(PAID);
        String signature = stripe.headers().get("Stripe-Signature");
        WebhookDelivery standard = standard(MESSAGE, CREATED);

        assertAccepted(
                stripe.with("Stripe-Signature", signature.replace(",v1=", ",v1=" + "0".repeat(64) + ",v1=")),
                standard.with(
                        "webhook-signature",
                        "v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc= "
                                + standard.headers().get("webhook-signature")));
        assertThat(kept()).hasSize(2);
    }

    @Test
    void headersOfSvixAreThoseOfStandardWebhooks() throws Exception {
        WebhookDelivery standard = standard(MESSAGE, CREATED);
        WebhookDelivery svix = standard;
        for (String name : List.of("id", "timestamp", "signature")) {
            svix = svix.with("svix-" + name, standard.headers().get("webhook-" + name))
                    .without("webhook-" + name);
        }

        assertAccepted(svix, standard);
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
                assertAccepted(message(status));
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
                assertAccepted(stripe(event));
            }
            assertThat(kept()).hasSize(3);
            assertThat(effects("customer_invoice")).containsExactly("in_1MtHbELkdIwHu7ixl4OzzPMv paid");
        }
    }

    @Test
    void whatWasBeforeDoesNotComeBack() throws Exception {
        assertAccepted(
                github("second", "issues", CLOSED),
                github("first", "issues", OPENED),
                standard("second", DELETED),
                standard("first", CREATED));

        assertThat(kept()).hasSize(4);
        assertThat(effects("repository_issue")).containsExactly("Codertocat/Hello-World 1 closed");
        assertThat(SAMPLE.texts("select deleted::text from contact")).containsExactly("true");
    }

    @Test
    void eventOfUnknownTypeOrStatusIsKeptWithoutAnEffect() throws Exception {
        String ping = "{\"zen\":\"Keep it logically awesome.\",\"hook_id\":1}";
        assertAccepted(
                stripe("{\"id\":\"evt_1\",\"type\":\"charge.succeeded\",\"data\":{\"object\":{}}}"),
                stripe(PAID.replace("\"paid\"", "\"new\"")),
                // A preview has no id.
                stripe(
                        "{\"id\":\"evt_2\",\"type\":\"invoice.upcoming\",\"data\":{\"object\":{\"object\":\"invoice\"}}}"),
                github(DELIVERY, "ping", ping),
                message("teleported"),
                standard(MESSAGE, "{\"type\":\"user.created\",\"data\":{}}"));

        assertThat(kept()).hasSize(6);
        assertNoEffect();
    }

    static Stream<WebhookDelivery> unreadable() {
        return Stream.of(
                stripe(""),
                stripe("{"),
                stripe("[]"),
                stripe("null"),
                stripe("{\"type\":\"invoice.paid\"}"),
                stripe("{\"id\":\"evt_1\"}"),
                stripe("{\"id\":\" \",\"type\":\"invoice.paid\"}"),
                stripe("{\"id\":{},\"type\":\"invoice.paid\"}"),
                stripe("{\"id\":\"evt_1\",\"type\":\"a\\u0000b\"}"),
                stripe("{\"id\":\"a\\u0007b\",\"type\":\"invoice.paid\"}"),
                stripe("{\"id\":\"" + "e".repeat(256) + "\",\"type\":\"invoice.paid\"}"),
                stripe("{\"a\":".repeat(600)),
                github(DELIVERY, "issues", "payload=%7B%7D"),
                github(DELIVERY, "issues", OPENED).without("X-GitHub-Delivery"),
                github(DELIVERY, "issues", OPENED).without("X-GitHub-Event"),
                twilio("MessageStatus=sent"),
                twilio("MessageSid=SM%00&MessageStatus=sent"),
                twilio("MessageSid=SM1"),
                twilio("CallSid=&CallStatus=ringing"),
                standard(MESSAGE, "Hello"),
                standard(MESSAGE, "{}"));
    }

    @ParameterizedTest
    @MethodSource("unreadable")
    void whatIsSignedButNamesNoEventIsABadRequest(WebhookDelivery delivery) throws Exception {
        assertProblem(send(delivery), 400);

        assertNothingIsWritten();
    }

    static Stream<WebhookDelivery> incomplete() {
        return Stream.of(
                stripe(PAID.replace("\"status\"", "\"stat\"")),
                github(DELIVERY, "issues", "{}"),
                github(DELIVERY, "issues", OPENED.replace("2019-05-15T15:20:18Z", "yesterday")),
                github(DELIVERY, "issues", OPENED.replace("\"number\": 1,", "\"number\": 1.5,")),
                standard(MESSAGE, CREATED.replace("John Smith", "John\\u0000Smith")),
                standard(MESSAGE, "{\"type\":\"contact.created\",\"data\":{\"id\":\"1\"}}"));
    }

    /** Operators see it among the messages that fail. */
    @ParameterizedTest
    @MethodSource("incomplete")
    void eventThatLacksWhatItsTypePromisesIsABadRequest(WebhookDelivery delivery) throws Exception {
        assertProblem(send(delivery), 400);

        assertNoEffect();
        assertThat(kept()).isEmpty();
        assertThat(failures()).containsExactly(1);
    }

    @Test
    void idThatComesBackWithAnotherBodyIsRefusedWhereItIsNotSigned() throws Exception {
        assertAccepted(github(DELIVERY, "issues", OPENED));

        assertProblem(send(github(DELIVERY, "issues", CLOSED)), 422);

        assertThat(effects("repository_issue")).containsExactly("Codertocat/Hello-World 1 open");
        assertThat(kept()).hasSize(1);
    }

    @Test
    void changedBodyOfTheSameEventIsADuplicateElsewhere() throws Exception {
        assertAccepted(stripe(PAID), stripe(PAID.replace("\"pending_webhooks\": 1", "\"pending_webhooks\": 0")));

        assertThat(kept()).hasSize(1);
    }

    @Test
    void longestBodyIsTakenAndALongerOneIsNot() throws Exception {
        WebhookDelivery longest =
                stripe(PAID + " ".repeat(MAX_BODY_SIZE - PAID.getBytes(StandardCharsets.UTF_8).length));
        WebhookDelivery longer = stripe(new String(longest.body(), StandardCharsets.UTF_8) + " ");

        assertProblem(send(longer), 413);
        assertProblem(longer.sendInChunksTo(SAMPLE.url()), 413);
        assertNothingIsWritten();
        assertAccepted(longest);
        assertThat(longest.sendInChunksTo(SAMPLE.url()).status()).isEqualTo(204);
        assertThat(kept()).hasSize(1);
    }

    @Test
    void endOfABodyThatIsTooLongIsNotWaitedFor() throws Exception {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), SAMPLE.port())) {
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

    @Test
    void duplicateOfAnEventThatIsBeingHandledIsToldToComeBack() throws Exception {
        WebhookDelivery delivery = stripe(PAID);
        ConcurrentCalls<Answer> running;
        Answer refused;
        try (Connection blocker = SAMPLE.begin("lock table customer_invoice in exclusive mode")) {
            running = ConcurrentCalls.start(1, () -> send(delivery));
            SAMPLE.awaitWaiting(1);
            refused = send(delivery);
            blocker.rollback();
        }
        assertProblem(refused, 409);
        assertThat(refused.retryAfter()).isEqualTo("2");
        assertThat(running.await().requireAllSucceeded().get(0).status()).isEqualTo(204);
        assertAccepted(delivery);
        assertThat(kept()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"unknown", "Stripe"})
    void unknownProviderIsNotFound(String provider) throws Exception {
        WebhookDelivery stripe = stripe(PAID);

        assertProblem(send(new WebhookDelivery(provider, stripe.headers(), stripe.body())), 404);
    }

    private static WebhookDelivery message(String status) {
        return twilio(SENT.replace("Status=sent", "Status=" + status));
    }

    private static byte[] withoutReplacementCharacter(byte[] body) {
        return new String(body, StandardCharsets.UTF_8)
                .replace('\ufffd', '\u00ff')
                .getBytes(StandardCharsets.ISO_8859_1);
    }

    private static Answer send(WebhookDelivery delivery) throws Exception {
        return delivery.sendTo(SAMPLE.url());
    }

    private static void assertAccepted(WebhookDelivery... deliveries) throws Exception {
        for (WebhookDelivery delivery : deliveries) {
            assertThat(send(delivery).status()).isEqualTo(204);
        }
    }

    private static void assertUnauthorized(WebhookDelivery... deliveries) throws Exception {
        for (WebhookDelivery delivery : deliveries) {
            assertProblem(send(delivery), 401);
        }
    }

    private static void assertProblem(Answer answer, int status) {
        assertThat(answer.status()).as(answer.body()).isEqualTo(status);
        assertThat(answer.contentType()).isEqualTo("application/problem+json");
        assertThat(answer.number("$.status")).isEqualTo(status);
        assertThat(answer.body()).doesNotContain("io.idempotency", "Exception", SECRET);
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
        return SAMPLE.texts("select concat_ws(' ', " + columns + ") from " + table);
    }

    private static List<String> kept() {
        return SAMPLE.texts("select concat_ws(' ', provider, event_id, event_type) from incoming_webhook");
    }

    private static List<String> handled() {
        return SAMPLE.texts(
                "select concat_ws(' ', consumer, message_id, message_type) from idempotency.processed_message order by 1");
    }

    private static List<Integer> failures() {
        return SAMPLE.jdbc().queryForList("select attempt_count from idempotency.message_failure", Integer.class);
    }
}
