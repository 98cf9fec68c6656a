package io.idempotency.sample.webhooks;

import org.jspecify.annotations.Nullable;

/** A request that is its provider's own, but not what the provider is known to send. */
public final class UnreadableWebhookException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    UnreadableWebhookException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
