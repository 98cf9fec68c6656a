package io.idempotency.inbox;

/** The policy for a message whose id was handled before with another payload. */
public enum ConflictPolicy {

    /** Throws {@link io.idempotency.inbox.MessageConflictException}, because message ids should be unique. */
    REFUSE,

    /** Skips the message like any duplicate, for senders of webhooks that repeat a message with a changed body. */
    SKIP
}
