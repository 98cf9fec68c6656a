package io.idempotency;

/** An operator's intervention did not fit what is stored; nothing was changed. The message says what is stored. */
public final class InterventionRefusedException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    private final boolean found;

    /**
     * Creates the exception.
     *
     * @param message what was refused, and why
     * @param found whether there is anything that could be changed at all
     */
    public InterventionRefusedException(String message, boolean found) {
        super(message);
        this.found = found;
    }

    /**
     * Whether something is stored, but in another state.
     *
     * @return {@code false} if nothing is stored
     */
    public boolean isFound() {
        return found;
    }
}
