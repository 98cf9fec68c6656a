package io.idempotency.sample.webhooks;

import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotNull;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.annotation.Validated;

/**
 * What the signatures of webhooks are checked with.
 *
 * @param stripeSecret of the endpoint, {@code whsec_...}
 * @param githubSecret of the webhook, as it was typed in there
 * @param twilioSecret the auth token of the account
 * @param standardSecret {@code whsec_} and the key in Base64
 * @param publicUrl what stands before the path in the URLs that Twilio was given, such as {@code https://shop.example};
 *     by default what the request names itself, which a proxy may have changed
 * @param maxBodySize what is longer is refused; GitHub sends up to 25 MB, all others a few kilobytes
 */
@ConfigurationProperties("sample.webhooks")
@Validated
public record WebhookProperties(
        @NotBlank String stripeSecret,
        @NotBlank String githubSecret,
        @NotBlank String twilioSecret,
        @NotBlank String standardSecret,
        @Nullable String publicUrl,
        @NotNull DataSize maxBodySize) {

    /** Without the secrets. */
    @Override
    public String toString() {
        return "WebhookProperties[publicUrl=" + publicUrl + ", maxBodySize=" + maxBodySize + "]";
    }
}
