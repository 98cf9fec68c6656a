package io.idempotency;

/**
 * The open transaction is not one on the DataSource of the idempotency tables, so claim and effect could not commit
 * together, or it is read-only. Thrown before the method runs.
 */
public final class TransactionMismatchException extends IdempotencyException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param intent the intent that was refused
     * @param reason which transaction was found, and what to do
     */
    public TransactionMismatchException(Intent intent, String reason) {
        super(intent, "The call for the " + intent + " was refused: " + reason);
    }

    /**
     * Creates the exception for messages.
     *
     * @param message which transaction was found, and what to do
     */
    public TransactionMismatchException(String message) {
        super(null, message);
    }
}
