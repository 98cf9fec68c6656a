package io.idempotency;

import org.jspecify.annotations.Nullable;

/** Thrown if the application cannot start as it is configured. It says what is wrong and what to change. */
public class IdempotencyStartupException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String problem;

    private final String action;

    /**
     * Creates the exception.
     *
     * @param problem the problem and its place; a sentence
     * @param action the change to make; a sentence
     */
    public IdempotencyStartupException(String problem, String action) {
        this(problem, action, null);
    }

    /**
     * Creates the exception.
     *
     * @param problem the problem and its place; a sentence
     * @param action the change to make; a sentence
     * @param cause the cause
     */
    public IdempotencyStartupException(String problem, String action, @Nullable Throwable cause) {
        super(problem + " " + action, cause);
        this.problem = problem;
        this.action = action;
    }

    /** {@return the problem and its place, as a sentence} */
    public String problem() {
        return problem;
    }

    /** {@return the change to make, as a sentence} */
    public String action() {
        return action;
    }
}
