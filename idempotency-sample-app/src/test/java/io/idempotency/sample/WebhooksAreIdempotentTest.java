package io.idempotency.sample;

import java.io.IOException;
import java.util.UUID;

import org.springframework.context.ConfigurableApplicationContext;

import io.idempotency.proof.IdempotencyProof;
import io.idempotency.proof.IdempotencyScenario;
import io.idempotency.proof.Payload;

import static io.idempotency.sample.WebhookDelivery.payload;
import static org.assertj.core.api.Assertions.assertThat;

@SampleProof
class WebhooksAreIdempotentTest implements IdempotencyProof {

    @IdempotencyScenario
    void stripe(ConfigurableApplicationContext sample) throws Exception {
        String paid = payload("stripe-invoice-paid.json")
                .replace("\"metadata\": {}", "\"metadata\": {\"payment_id\": \"" + new UUID(0, 1) + "\"}");
        send(WebhookDelivery.stripe(paid), sample);
    }

    /** Ids are not signed there, so that one that comes with another body is refused. */
    @IdempotencyScenario
    void github(ConfigurableApplicationContext sample, Payload file) throws Exception {
        send(
                WebhookDelivery.github(
                        "delivery-1",
                        "issues",
                        payload(file.either("github-issues-opened.json", "github-issues-closed.json"))),
                sample);
    }

    @IdempotencyScenario
    void twilio(ConfigurableApplicationContext sample) throws Exception {
        send(WebhookDelivery.twilio(payload("twilio-message-sent.form")), sample);
    }

    @IdempotencyScenario
    void standard(ConfigurableApplicationContext sample) throws Exception {
        send(WebhookDelivery.standard("message-1", payload("standard-contact-created.json")), sample);
    }

    private static void send(WebhookDelivery delivery, ConfigurableApplicationContext sample)
            throws IOException, InterruptedException {
        assertThat(delivery.sendTo(new RunningSample(sample, () -> {})).status())
                .isEqualTo(204);
    }
}
