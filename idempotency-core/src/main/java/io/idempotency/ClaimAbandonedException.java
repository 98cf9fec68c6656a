package io.idempotency;

/**
 * Thrown if an earlier call with the key did not end, and nobody knows whether its effect happened: its method ended the transaction
 * itself, or instances have given the call up that was to be finished without its caller ({@link Idempotent#resume()}). The method is
 * not run a second time, and a call with a new key might be a second effect. An operator has to decide.
 */
public final class ClaimAbandonedException extends IdempotencyException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception for a call whose method ended its transaction.
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

    /**
     * Creates the exception for a call that is given up.
     *
     * @param intent the abandoned intent
     * @param reason the number of attempts and the end of the last one
     */
    public ClaimAbandonedException(Intent intent, String reason) {
        super(
                intent,
                "The " + intent + " was " + reason
                        + ". Its effect may have happened: do not repeat it with a new key. An"
                        + " operator has to find out, and completes or releases the request");
    }
}
