package io.idempotency;

import org.jspecify.annotations.Nullable;

/** The application cannot start as it is configured. Says what is wrong and what to change. */
public class IdempotencyStartupException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String problem;

    private final String action;

    /**
     * Creates the exception.
     *
     * @param problem what is wrong, and where; a sentence
     * @param action what to change; a sentence
     */
    public IdempotencyStartupException(String problem, String action) {
        this(problem, action, null);
    }

    /**
     * Creates the exception.
     *
     * @param problem what is wrong, and where; a sentence
     * @param action what to change; a sentence
     * @param cause what reported it
     */
    public IdempotencyStartupException(String problem, String action, @Nullable Throwable cause) {
        super(problem + " " + action, cause);
        this.problem = problem;
        this.action = action;
    }

    /**
     * What is wrong, and where.
     *
     * @return a sentence
     */
    public String problem() {
        return problem;
    }

    /**
     * What to change.
     *
     * @return a sentence
     */
    public String action() {
        return action;
    }
}
