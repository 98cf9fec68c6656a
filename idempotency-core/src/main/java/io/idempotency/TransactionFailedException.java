package io.idempotency;

/**
 * The method returned, but its transaction cannot commit: a failed SQL statement or the exception of a batch of messages, an
 * outbox or a lock was swallowed, the transaction was marked rollback-only, or the method ended it. Everything is rolled back
 * and nothing is stored.
 */
public final class TransactionFailedException extends IdempotencyException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param intent the intent whose transaction failed
     * @param reason what happened to the transaction, and what to do
     */
    public TransactionFailedException(Intent intent, String reason) {
        super(intent, "The call for the " + intent + " returned, but " + reason);
    }

    /**
     * Creates the exception for a transaction that several calls or messages may be part of.
     *
     * @param message what happened to the transaction, and what to do
     */
    public TransactionFailedException(String message) {
        super(null, message);
    }

    /**
     * Creates the exception for a transaction that is not the one of an idempotent call.
     *
     * @param message what happened to the transaction, and what to do
     * @param cause what was swallowed
     */
    public TransactionFailedException(String message, Throwable cause) {
        super(null, message, cause);
    }
}
