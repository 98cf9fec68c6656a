package io.idempotency;

/**
 * Thrown if the key was committed in the state PROCESSING, without a lease, because its method ended the transaction
 * itself. It is not known whether the effect happened, so the method is not run a second time.
 */
public final class ClaimAbandonedException extends IdempotencyException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param intent the abandoned intent
     */
    public ClaimAbandonedException(Intent intent) {
        super(
                intent,
                "The " + intent + " was committed before it was complete, because its method ended the transaction"
                        + " itself: an operator has to find out whether its effect happened. Never commit, roll back"
                        + " or switch auto-commit on the connection inside an idempotent method");
    }
}
