package io.idempotency;

import java.util.UUID;

/** A message to send has the deduplication key of an earlier one of its topic, and says something else. It was not recorded. */
public final class DeduplicationKeyReusedException extends IdempotencyException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param topic of both messages
     * @param deduplicationKey of both messages
     * @param earlierId the id of the message that has the key
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
