package io.idempotency;

/** What to do with a message whose id was handled before with another payload. */
public enum ConflictPolicy {

    /** Throw {@link io.idempotency.MessageConflictException}: ids are not what they should be. */
    REFUSE,

    /** Skip it like any duplicate: senders of webhooks do send changed bodies again. */
    SKIP
}
