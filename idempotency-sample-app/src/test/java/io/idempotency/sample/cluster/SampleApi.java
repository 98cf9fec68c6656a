package io.idempotency.sample.cluster;

import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;

import io.idempotency.sample.WebhookSignatures;
import io.idempotency.sample.cluster.FinalState.Balance;

/** All that is known here of the sample's HTTP API. */
final class SampleApi {

    static final String INSUFFICIENT_FUNDS = "Insufficient funds";

    static final String KEY_REUSED = "Idempotency-Key is already used";

    static final String VERSION_CONFLICT = "Version conflict";

    static final String IN_PROGRESS = "A request with this Idempotency-Key is in progress";

    private static final String LEASE_LOST = "Another request has taken this Idempotency-Key over";

    private static final String STRIPE_SECRET = "whsec_for-development-only";

    /** Answers with status 500 that no fault explains. */
    private static final Set<String> BROKEN = Set.of("The response cannot be read", "The response cannot be stored");

    private static final int CONFLICT = 409;

    private static final int UNPROCESSABLE = 422;

    private static final int SERVER_ERROR = 500;

    private static final ObjectMapper JSON = JsonMapper.shared();

    private SampleApi() {}

    static HttpRequest request(String url, Command command, Duration timeout) {
        return HttpRequest.newBuilder(URI.create(url + path(command)))
                .timeout(timeout)
                .header("Content-Type", "application/json")
                .header("Idempotency-Key", command.key())
                .POST(BodyPublishers.ofString(JSON.writeValueAsString(body(command))))
                .build();
    }

    private static String path(Command command) {
        return switch (command.operation()) {
            case OPENING -> "/accounts";
            case PAYMENT -> "/payments";
            default ->
                "/accounts/" + command.accountId() + "/" + command.operation().scope();
        };
    }

    private static Map<String, Object> body(Command command) {
        Map<String, Object> body = new LinkedHashMap<>();
        if (command.operation() == Operation.OPENING || command.operation() == Operation.PAYMENT) {
            body.put("accountId", command.accountId());
        }
        if (command.operation() == Operation.PAYMENT) {
            body.put("currency", "EUR");
            body.put("reference", command.key());
        }
        body.put("amountCents", command.amountCents());
        if (command.expectedVersion() != null) {
            body.put("expectedVersion", command.expectedVersion());
        }
        return body;
    }

    static HttpRequest account(String url, String accountId, Duration timeout) {
        return HttpRequest.newBuilder(URI.create(url + "/accounts/" + accountId))
                .timeout(timeout)
                .build();
    }

    static Balance balance(String body) {
        JsonNode account = JSON.readTree(body);
        return new Balance(
                account.path("accountId").asString(),
                account.path("version").asLong(),
                account.path("balanceCents").asLong());
    }

    static HttpRequest rebuild(String url, String projection, Duration timeout) {
        return HttpRequest.newBuilder(URI.create(url + "/projections/" + projection + "/rebuild"))
                .timeout(timeout)
                .POST(BodyPublishers.noBody())
                .build();
    }

    /** As Stripe signs it. */
    static HttpRequest webhook(String url, InvoiceEvent event, Duration timeout) {
        String body = JSON.writeValueAsString(Map.of(
                "id", event.eventId(),
                "object", "event",
                "type", event.type(),
                "data", Map.of("object", invoice(event))));
        long seconds = Instant.now().getEpochSecond();
        return HttpRequest.newBuilder(URI.create(url + "/webhooks/stripe"))
                .timeout(timeout)
                .header("Content-Type", "application/json; charset=utf-8")
                .header(
                        "Stripe-Signature",
                        "t=" + seconds + "," + WebhookSignatures.stripe(STRIPE_SECRET, seconds, body))
                .POST(BodyPublishers.ofString(body))
                .build();
    }

    private static Map<String, Object> invoice(InvoiceEvent event) {
        return Map.of(
                "id", event.invoiceId(),
                "object", "invoice",
                "status", event.status(),
                "metadata", Map.of("payment_id", event.paymentId()));
    }

    static Answer answer(HttpResponse<String> response) {
        boolean replayed = response.headers().firstValue("Idempotent-Replayed").isPresent();
        return new Answer(outcome(response), replayed);
    }

    private static Outcome outcome(HttpResponse<String> response) {
        int status = response.statusCode();
        if (status < 300) {
            return Outcome.acknowledged(
                    status, response.headers().firstValue("Location").orElse(null), response.body());
        }
        return Outcome.refused(status, title(response.body()), response.body());
    }

    private static String title(String body) {
        try {
            return JSON.readTree(body).path("title").asString("");
        } catch (JacksonException notJson) {
            return "";
        }
    }

    /** Whether to repeat the command later, with the same key. */
    static boolean isToBeRepeated(Outcome outcome) {
        return switch (outcome.kind()) {
            case ACKNOWLEDGED -> false;
            case UNKNOWN -> true;
            case REFUSED -> isTransient(outcome);
        };
    }

    private static boolean isTransient(Outcome outcome) {
        return outcome.status() == CONFLICT
                ? Set.of(IN_PROGRESS, LEASE_LOST).contains(outcome.title())
                : outcome.status() >= SERVER_ERROR && !BROKEN.contains(outcome.title());
    }

    /** Whether the command will never be executed, if the failure could be recorded. */
    static boolean isFinalFailure(Outcome outcome) {
        return outcome.isRefused()
                && outcome.status() == UNPROCESSABLE
                && !outcome.title().equals(KEY_REUSED);
    }

    /** Whether a client that keeps to the rules may be told so. */
    static boolean hasReason(Outcome refusal, Command command) {
        return isTransient(refusal)
                || isFinalFailure(refusal)
                || (refusal.title().equals(VERSION_CONFLICT) && command.expectedVersion() != null);
    }

    /** Whether the sender of a webhook may be told so: it comes again. */
    static boolean isToComeAgain(Outcome refusal) {
        return refusal.status() == CONFLICT || refusal.status() >= SERVER_ERROR;
    }

    static Answered answered(Outcome acknowledgement) {
        return JSON.readValue(acknowledgement.body(), Answered.class);
    }

    /** What an answer tells of the effect; {@code null} where it does not. */
    record Answered(
            UUID eventId, UUID paymentId, String accountId, Long version, Long amountCents, Long balanceCents) {}
}
