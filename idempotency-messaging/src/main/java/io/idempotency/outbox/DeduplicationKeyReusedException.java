package io.idempotency.outbox;

import java.util.UUID;

import io.idempotency.IdempotencyException;

/**
 * Thrown if a message has the deduplication key of an earlier message of its topic, but another type or payload. It was
 * not recorded.
 */
public final class DeduplicationKeyReusedException extends IdempotencyException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param topic topic of both messages
     * @param deduplicationKey deduplication key of both messages
     * @param earlierId id of the earlier message
     */
    public DeduplicationKeyReusedException(String topic, String deduplicationKey, UUID earlierId) {
        super(
                null,
                "The deduplication key '" + deduplicationKey + "' of the topic '" + topic + "' belongs to the message "
                        + earlierId
                        + ", which has another type or payload, so that this one was not recorded: use a key"
                        + " that is unique for each message of the topic");
    }
}
