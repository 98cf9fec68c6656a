package io.idempotency.inbox;

import io.idempotency.IdempotencyException;
import io.idempotency.Intent;

/** Thrown if a message has the id of one that was handled before, but another payload. It was not handled. */
public final class MessageConflictException extends IdempotencyException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param intent the consumer as scope, and the message id as key
     */
    public MessageConflictException(Intent intent) {
        super(
                intent,
                "The consumer '" + intent.scope() + "' has handled another message with the id '"
                        + intent.key().value()
                        + "' before: use ids that are unique for each message, or set onConflict ="
                        + " SKIP if the sender changes bodies");
    }
}
