package io.idempotency;

/**
 * The method returned, but its transaction cannot commit: a failed SQL statement was swallowed, the transaction was
 * marked rollback-only, or the method ended it. Everything is rolled back and nothing is stored.
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
}
