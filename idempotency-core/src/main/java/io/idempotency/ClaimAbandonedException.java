package io.idempotency;

/**
 * The key was committed as being processed, without a lease and without a response: its method ended the transaction
 * itself. Whether the effect happened is not known, so the method is not run a second time.
 */
public final class ClaimAbandonedException extends IdempotencyException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param intent the intent that was abandoned
     */
    public ClaimAbandonedException(Intent intent) {
        super(
                intent,
                "The " + intent + " was committed before it was complete, because its method ended the transaction"
                        + " itself: an operator has to find out whether its effect happened. Never commit, roll back"
                        + " or switch auto-commit on the connection inside an idempotent method");
    }
}
