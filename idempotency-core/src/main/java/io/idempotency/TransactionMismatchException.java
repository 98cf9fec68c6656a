package io.idempotency;

/**
 * Thrown if claim and effect could not commit together: before the method runs, if the open transaction is read-only or
 * is not on the DataSource of the idempotency tables, or if one is open although the call is leased; within an optimistic
 * method, if it is about to commit another transaction. Also thrown for a batch of messages, a message to send or a lock
 * without an open transaction on that DataSource, and if several databases behind it do not fit together: for two names of
 * one database, and for a message in a database that the relay does not read.
 */
public final class TransactionMismatchException extends IdempotencyException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param intent the refused intent
     * @param reason the transaction that was found, and what to do
     */
    public TransactionMismatchException(Intent intent, String reason) {
        super(intent, "The call for the " + intent + " was refused: " + reason);
    }

    /**
     * Creates the exception for messages.
     *
     * @param message the transaction that was found, and what to do
     */
    public TransactionMismatchException(String message) {
        super(null, message);
    }
}
