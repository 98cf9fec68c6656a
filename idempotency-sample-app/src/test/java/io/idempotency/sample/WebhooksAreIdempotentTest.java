package io.idempotency.sample;

import java.io.IOException;
import java.util.UUID;

import org.springframework.boot.test.web.server.LocalServerPort;

import io.idempotency.proof.IdempotencyProof;
import io.idempotency.proof.IdempotencyScenario;
import io.idempotency.proof.Payload;

import static io.idempotency.sample.WebhookDelivery.payload;
import static org.assertj.core.api.Assertions.assertThat;

@SampleProof
class WebhooksAreIdempotentTest implements IdempotencyProof {

    @IdempotencyScenario
    void stripe(@LocalServerPort int port) throws Exception {
        String paid = payload("stripe-invoice-paid.json")
                .replace("\"metadata\": {}", "\"metadata\": {\"payment_id\": \"" + new UUID(0, 1) + "\"}");
        send(WebhookDelivery.stripe(paid), port);
    }

    /** Ids are not signed there, so that one that comes with another body is refused. */
    @IdempotencyScenario
    void github(@LocalServerPort int port, Payload file) throws Exception {
        send(
                WebhookDelivery.github(
                        "delivery-1",
                        "issues",
                        payload(file.either("github-issues-opened.json", "github-issues-closed.json"))),
                port);
    }

    @IdempotencyScenario
    void twilio(@LocalServerPort int port) throws Exception {
        send(WebhookDelivery.twilio(payload("twilio-message-sent.form")), port);
    }

    @IdempotencyScenario
    void standard(@LocalServerPort int port) throws Exception {
        send(WebhookDelivery.standard("message-1", payload("standard-contact-created.json")), port);
    }

    private static void send(WebhookDelivery delivery, int port) throws IOException, InterruptedException {
        assertThat(delivery.sendTo("http://localhost:" + port).status()).isEqualTo(204);
    }
}
