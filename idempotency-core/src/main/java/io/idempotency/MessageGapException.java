package io.idempotency;

/** A message came before another of its stream. It was not handled: let it be delivered again later. */
public final class MessageGapException extends IdempotencyException {

    private static final long serialVersionUID = 1L;

    private final String stream;

    private final long expectedVersion;

    private final long version;

    /**
     * Creates the exception.
     *
     * @param intent the consumer as scope, and the message id as key
     * @param stream whose order counts
     * @param expectedVersion the version that has to come next
     * @param version the version that came
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

    /**
     * The stream.
     *
     * @return its id
     */
    public String stream() {
        return stream;
    }

    /**
     * What was waited for.
     *
     * @return the version that has to come next
     */
    public long expectedVersion() {
        return expectedVersion;
    }

    /**
     * What came.
     *
     * @return the version of the message
     */
    public long version() {
        return version;
    }
}
