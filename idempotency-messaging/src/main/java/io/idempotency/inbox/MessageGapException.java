package io.idempotency.inbox;

import io.idempotency.IdempotencyException;
import io.idempotency.Intent;

/**
 * Thrown if a message came before an earlier one of its stream. It was not handled and must be delivered again later.
 */
public final class MessageGapException extends IdempotencyException {

    private static final long serialVersionUID = 1L;

    private final String stream;

    private final long expectedVersion;

    private final long version;

    /**
     * Creates the exception.
     *
     * @param intent the consumer as scope, and the message id as key
     * @param stream stream of the message
     * @param expectedVersion version that must come next
     * @param version version of the message
     */
    public MessageGapException(Intent intent, String stream, long expectedVersion, long version) {
        super(
                intent,
                "The message '" + intent.key().value() + "' for the consumer '" + intent.scope() + "' has version "
                        + version + " of the stream '" + stream + "', but version " + expectedVersion
                        + " has to come before: deliver it again later");
        this.stream = stream;
        this.expectedVersion = expectedVersion;
        this.version = version;
    }

    /** {@return the id of the stream} */
    public String stream() {
        return stream;
    }

    /** {@return the version that must come next} */
    public long expectedVersion() {
        return expectedVersion;
    }

    /** {@return the version of the message} */
    public long version() {
        return version;
    }
}
