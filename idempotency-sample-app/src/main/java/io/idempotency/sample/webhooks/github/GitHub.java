package io.idempotency.sample.webhooks.github;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

import org.springframework.stereotype.Component;

import io.idempotency.sample.webhooks.InvalidSignatureException;
import io.idempotency.sample.webhooks.Webhook;
import io.idempotency.sample.webhooks.WebhookHandler;
import io.idempotency.sample.webhooks.WebhookProperties;
import io.idempotency.sample.webhooks.WebhookProvider;
import io.idempotency.sample.webhooks.WebhookRequest;

/**
 * GitHub signs the body and nothing else: neither a time nor the id of the delivery, which only TLS protects. It does not
 * send again by itself. The webhook's content type has to be JSON.
 *
 * @see <a href="https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries">Validating webhook
 *     deliveries</a>
 */
@Component
class GitHub implements WebhookProvider {

    private static final String ALGORITHM = "HmacSHA256";

    private final SecretKeySpec secret;

    private final GitHubHandler handler;

    GitHub(WebhookProperties properties, GitHubHandler handler) {
        this.secret = new SecretKeySpec(properties.githubSecret().getBytes(StandardCharsets.UTF_8), ALGORITHM);
        this.handler = handler;
    }

    @Override
    public String name() {
        return "github";
    }

    @Override
    public void verify(WebhookRequest request) {
        String signature = request.header("X-Hub-Signature-256");
        if (signature == null) {
            throw new InvalidSignatureException("No X-Hub-Signature-256");
        }
        byte[] expected = ("sha256=" + HexFormat.of().formatHex(hmac(request.body()))).getBytes(StandardCharsets.UTF_8);
        if (!MessageDigest.isEqual(expected, signature.getBytes(StandardCharsets.UTF_8))) {
            throw new InvalidSignatureException("Wrong X-Hub-Signature-256");
        }
    }

    @Override
    public Webhook read(WebhookRequest request) {
        return Webhook.of(
                name(),
                request.header("X-GitHub-Delivery"),
                request.header("X-GitHub-Event"),
                request.body(),
                Webhook.json(request.body()));
    }

    @Override
    public WebhookHandler handler() {
        return handler;
    }

    private byte[] hmac(byte[] body) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(secret);
            return mac.doFinal(body);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
}
