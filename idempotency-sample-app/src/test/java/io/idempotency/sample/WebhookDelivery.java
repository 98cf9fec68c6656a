package io.idempotency.sample;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** A webhook as its provider sends it, now and with the secret that the sample has for development. */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
record WebhookDelivery(String provider, Map<String, String> headers, byte[] body) {

    static final String PUBLIC_URL = "https://shop.example";

    static final String SECRET = "for-development-only";

    static final String STRIPE_SECRET = "whsec_for-development-only";

    static final String STANDARD_SECRET = "whsec_Zm9yLWRldmVsb3BtZW50LW9ubHk=";

    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    static WebhookDelivery stripe(String body) {
        return stripe(STRIPE_SECRET, Instant.now(), body);
    }

    static WebhookDelivery stripe(String secret, Instant time, String body) {
        long seconds = time.getEpochSecond();
        return of("stripe", body)
                .with("Content-Type", "application/json; charset=utf-8")
                .with("Stripe-Signature", "t=" + seconds + "," + WebhookSignatures.stripe(secret, seconds, body));
    }

    static WebhookDelivery github(String deliveryId, String event, String body) {
        return github(SECRET, deliveryId, event, body);
    }

    static WebhookDelivery github(String secret, String deliveryId, String event, String body) {
        return of("github", body)
                .with("Content-Type", "application/json")
                .with("X-GitHub-Delivery", deliveryId)
                .with("X-GitHub-Event", event)
                .with("X-Hub-Signature-256", WebhookSignatures.github(secret, body));
    }

    static WebhookDelivery twilio(String form) {
        return twilio(SECRET, form);
    }

    static WebhookDelivery twilio(String secret, String form) {
        return of("twilio", form)
                .with("Content-Type", "application/x-www-form-urlencoded; charset=UTF-8")
                .with("X-Twilio-Signature", WebhookSignatures.twilio(secret, PUBLIC_URL + "/webhooks/twilio", form));
    }

    static WebhookDelivery standard(String id, String body) {
        return standard(STANDARD_SECRET, id, Instant.now(), body);
    }

    static WebhookDelivery standard(String secret, String id, Instant time, String body) {
        String seconds = Long.toString(time.getEpochSecond());
        return of("standard", body)
                .with("Content-Type", "application/json")
                .with("webhook-id", id)
                .with("webhook-timestamp", seconds)
                .with("webhook-signature", WebhookSignatures.standard(secret, id, seconds, body));
    }

    private static WebhookDelivery of(String provider, String body) {
        return new WebhookDelivery(provider, Map.of(), body.getBytes(StandardCharsets.UTF_8));
    }

    static String payload(String file) {
        try (InputStream stream = WebhookDelivery.class.getResourceAsStream("/webhooks/" + file)) {
            return new String(Objects.requireNonNull(stream, file).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    WebhookDelivery with(String header, String value) {
        Map<String, String> changed = new TreeMap<>(headers);
        changed.put(header, value);
        return new WebhookDelivery(provider, changed, body);
    }

    WebhookDelivery without(String header) {
        Map<String, String> changed = new TreeMap<>(headers);
        changed.remove(header);
        return new WebhookDelivery(provider, changed, body);
    }

    /** The same headers with other bytes. */
    WebhookDelivery withBody(byte[] other) {
        return new WebhookDelivery(provider, headers, other);
    }

    Answer sendTo(String url) throws IOException, InterruptedException {
        return send(url, BodyPublishers.ofByteArray(body));
    }

    /** Without telling before how long it is. */
    Answer sendInChunksTo(String url) throws IOException, InterruptedException {
        return send(url, BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(body)));
    }

    private Answer send(String url, BodyPublisher publisher) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + "/webhooks/" + provider))
                .timeout(TIMEOUT)
                .POST(publisher);
        headers.forEach(request::header);
        return Answer.of(HTTP.send(request.build(), BodyHandlers.ofString()));
    }

    @Override
    public String toString() {
        return provider;
    }
}
