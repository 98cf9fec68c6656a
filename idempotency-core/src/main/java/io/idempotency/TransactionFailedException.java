package io.idempotency;

/**
 * Thrown if the method returned, but its transaction cannot commit. Either the method swallowed a failed SQL statement
 * or an exception of a batch of messages, the outbox or a lock; or the transaction was marked rollback-only; or the
 * method ended it. Everything is rolled back and nothing is stored.
 */
public final class TransactionFailedException extends IdempotencyException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param intent the intent whose transaction failed
     * @param reason the problem with the transaction, and what to do
     */
    public TransactionFailedException(Intent intent, String reason) {
        super(intent, "The call for the " + intent + " returned, but " + reason);
    }

    /**
     * Creates the exception for a transaction that several calls or messages may be part of.
     *
     * @param message the problem with the transaction, and what to do
     */
    public TransactionFailedException(String message) {
        super(null, message);
    }

    /**
     * Creates the exception for a transaction outside of an idempotent call.
     *
     * @param message the problem with the transaction, and what to do
     * @param cause the swallowed exception
     */
    public TransactionFailedException(String message, Throwable cause) {
        super(null, message, cause);
    }
}
