package io.idempotency;

/**
 * Thrown if an operator's intervention does not fit the stored state. Nothing was changed. The message says what is
 * stored.
 */
public final class InterventionRefusedException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    private final boolean found;

    /**
     * Creates the exception.
     *
     * @param message the refused intervention, and the reason
     * @param found whether anything is stored
     */
    public InterventionRefusedException(String message, boolean found) {
        super(message);
        this.found = found;
    }

    /** {@return whether something is stored, but in another state} */
    public boolean isFound() {
        return found;
    }
}
