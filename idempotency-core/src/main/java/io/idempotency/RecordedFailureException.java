package io.idempotency;

/**
 * Thrown if the intent had a final failure before, which was recorded: the method did not run. Also thrown by a step of a leased call
 * that had one: the step did not run.
 */
public final class RecordedFailureException extends IdempotencyException {

    private static final long serialVersionUID = 1L;

    private final String code;

    private final String recordedMessage;

    /**
     * Creates the exception.
     *
     * @param intent the failed intent
     * @param code code that the {@link FailureTranslator} gave for the first exception; by default the name of its
     *     class
     * @param recordedMessage the message of the first exception, at most 1,000 characters
     */
    public RecordedFailureException(Intent intent, String code, String recordedMessage) {
        super(
                intent,
                "The " + intent + " has failed for good with " + code
                        + (recordedMessage.isEmpty() ? "" : ": " + recordedMessage)
                        + ". It is not run again");
        this.code = code;
        this.recordedMessage = recordedMessage;
    }

    /** {@return the recorded code; by default the name of the exception's class} */
    public String code() {
        return code;
    }

    /** {@return the recorded message, at most 1,000 characters; empty if there was none} */
    public String recordedMessage() {
        return recordedMessage;
    }
}
