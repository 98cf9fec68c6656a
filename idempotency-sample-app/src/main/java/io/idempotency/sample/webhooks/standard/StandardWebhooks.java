package io.idempotency.sample.webhooks.standard;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import com.standardwebhooks.exceptions.EmptyWebhookSecretException;
import com.standardwebhooks.exceptions.WebhookVerificationException;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import tools.jackson.databind.JsonNode;

import io.idempotency.sample.webhooks.InvalidSignatureException;
import io.idempotency.sample.webhooks.Webhook;
import io.idempotency.sample.webhooks.WebhookHandler;
import io.idempotency.sample.webhooks.WebhookProperties;
import io.idempotency.sample.webhooks.WebhookProvider;
import io.idempotency.sample.webhooks.WebhookRequest;

/**
 * Whoever follows Standard Webhooks signs the id, the time and the body, once for each secret while one is being rolled.
 * Svix, where they come from, has the same headers under its own names.
 *
 * @see <a href="https://www.standardwebhooks.com">Standard Webhooks</a>
 */
@Component
class StandardWebhooks implements WebhookProvider {

    private static final List<String> HEADERS = List.of("id", "timestamp", "signature");

    private final com.standardwebhooks.Webhook verifier;

    private final StandardHandler handler;

    StandardWebhooks(WebhookProperties properties, StandardHandler handler) throws EmptyWebhookSecretException {
        this.verifier = new com.standardwebhooks.Webhook(properties.standardSecret());
        this.handler = handler;
    }

    @Override
    public String name() {
        return "standard";
    }

    @Override
    public void verify(WebhookRequest request) {
        Map<String, List<String>> headers = new HashMap<>();
        for (String name : HEADERS) {
            String value = header(request, name);
            if (value == null) {
                throw new InvalidSignatureException("No webhook-" + name);
            }
            headers.put("webhook-" + name, List.of(value));
        }
        try {
            verifier.verify(request.text(), headers);
        } catch (WebhookVerificationException e) {
            throw new InvalidSignatureException("Wrong webhook-signature", e);
        }
    }

    @Override
    public Webhook read(WebhookRequest request) {
        JsonNode event = Webhook.json(request.body());
        return Webhook.of(name(), header(request, "id"), Webhook.textOrNull(event, "/type"), request.body(), event);
    }

    @Override
    public WebhookHandler handler() {
        return handler;
    }

    private static @Nullable String header(WebhookRequest request, String name) {
        String value = request.header("webhook-" + name);
        return value == null ? request.header("svix-" + name) : value;
    }
}
