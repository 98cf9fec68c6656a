package io.idempotency;

/**
 * Thrown if this thread holds the key already, in a call that has not completed or in a suspended transaction. A wait
 * would never end, so the call is refused immediately.
 */
public final class ReentrantCallException extends IdempotencyException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param intent the intent that this thread holds
     * @param where the place where it is held, and what to do
     */
    public ReentrantCallException(Intent intent, String where) {
        super(intent, "This thread holds the " + intent + " already: " + where);
    }
}
