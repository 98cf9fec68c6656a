package io.idempotency;

/**
 * Thrown if the lease of the method was not renewed in time, and another call or an operator has taken the key. Its
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
                        + " repeat the call to learn what became of it. The log says why the lease was not renewed");
    }
}
