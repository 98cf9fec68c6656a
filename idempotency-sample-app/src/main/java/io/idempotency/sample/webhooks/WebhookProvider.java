package io.idempotency.sample.webhooks;

/** Someone who sends webhooks: how they are signed, and which event a request is about. */
public interface WebhookProvider {

    /** The last part of the path that its webhooks are sent to. */
    String name();

    /**
     * Checks that the provider sent exactly this request.
     *
     * @throws InvalidSignatureException if it did not, or if that is too long ago
     */
    void verify(WebhookRequest request);

    /**
     * Reads a request that is known to be the provider's.
     *
     * @throws UnreadableWebhookException if it tells no event
     */
    Webhook read(WebhookRequest request);

    /** Who handles its events. */
    WebhookHandler handler();
}
