package io.idempotency.sample.webhooks;

import org.jspecify.annotations.Nullable;

/** Handles the events of one provider, each once. */
public interface WebhookHandler {

    /**
     * Keeps the event and does what it asks for, in one transaction. Two events can tell of one change, and an older one can
     * come after a newer one, so what is written is the state that things are in after it.
     *
     * @return the number under which the event is kept; {@code null} if it had been handled before
     * @throws UnreadableWebhookException if the event lacks what its type promises
     */
    @Nullable Long handle(Webhook webhook);
}
