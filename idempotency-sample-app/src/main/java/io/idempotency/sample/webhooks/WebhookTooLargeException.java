package io.idempotency.sample.webhooks;

import org.springframework.util.unit.DataSize;

/** A body that is longer than is accepted from anyone. */
public final class WebhookTooLargeException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    WebhookTooLargeException(DataSize limit) {
        super("The body has more than " + limit.toBytes() + " bytes.");
    }
}
