package io.idempotency;

/**
 * Thrown if the method ran for longer than its lease, and another call or an operator has taken the key. Its
 * transaction is rolled back; effects outside of PostgreSQL remain.
 */
public final class LeaseLostException extends IdempotencyException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param intent the intent whose lease was lost
     * @param attempt the attempt that held it
     */
    public LeaseLostException(Intent intent, int attempt) {
        super(
                intent,
                "Attempt " + attempt + " at the " + intent + " has lost its lease, so its result does not count:"
                        + " repeat the call to learn what became of it, and give the method a longer lease");
    }
}
