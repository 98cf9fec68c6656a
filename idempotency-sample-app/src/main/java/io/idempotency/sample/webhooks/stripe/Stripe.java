package io.idempotency.sample.webhooks.stripe;

import com.stripe.exception.SignatureVerificationException;
import com.stripe.net.Webhook.Signature;
import org.springframework.stereotype.Component;
import tools.jackson.databind.JsonNode;

import io.idempotency.sample.webhooks.InvalidSignatureException;
import io.idempotency.sample.webhooks.Webhook;
import io.idempotency.sample.webhooks.WebhookHandler;
import io.idempotency.sample.webhooks.WebhookProperties;
import io.idempotency.sample.webhooks.WebhookProvider;
import io.idempotency.sample.webhooks.WebhookRequest;

/**
 * Stripe signs the time and the body, once for each secret while one is being rolled, and sends for up to three days what
 * was not answered with 2xx.
 *
 * @see <a href="https://docs.stripe.com/webhooks">Receive Stripe events in your webhook endpoint</a>
 */
@Component
class Stripe implements WebhookProvider {

    private final String secret;

    private final StripeHandler handler;

    Stripe(WebhookProperties properties, StripeHandler handler) {
        this.secret = properties.stripeSecret();
        this.handler = handler;
    }

    @Override
    public String name() {
        return "stripe";
    }

    @Override
    public void verify(WebhookRequest request) {
        String signature = request.header("Stripe-Signature");
        if (signature == null) {
            throw new InvalidSignatureException("No Stripe-Signature");
        }
        try {
            Signature.verifyHeader(request.text(), signature, secret, com.stripe.net.Webhook.DEFAULT_TOLERANCE);
        } catch (SignatureVerificationException | NumberFormatException | ArrayIndexOutOfBoundsException e) {
            // The latter two are the library's answer to a header that is malformed.
            throw new InvalidSignatureException("Wrong Stripe-Signature", e);
        }
    }

    @Override
    public Webhook read(WebhookRequest request) {
        JsonNode event = Webhook.json(request.body());
        return Webhook.of(
                name(), Webhook.textOrNull(event, "/id"), Webhook.textOrNull(event, "/type"), request.body(), event);
    }

    @Override
    public WebhookHandler handler() {
        return handler;
    }
}
