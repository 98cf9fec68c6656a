package io.idempotency;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if the steps of a method are not those that an earlier attempt of its call has recorded: a step was renamed or
 * removed, the method took another way, or a result cannot be read any more. The step that the method asked for was not run.
 * Whatever the method did outside of steps has happened. The request keeps its records: deploy code that asks for the
 * recorded steps, or let an operator delete records with {@link IdempotencyAdministration#retryFrom}.
 */
public final class StepsChangedException extends IdempotencyException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param intent the intent of the call
     * @param problem the problem, as the end of a sentence about the method
     * @param recorded the names of the recorded steps, in their order
     * @param cause the failure to read a result; {@code null} if there is none
     */
    public StepsChangedException(Intent intent, String problem, List<String> recorded, @Nullable Throwable cause) {
        super(
                intent,
                "The call for the " + intent + " cannot go on where an earlier attempt stopped: its method " + problem
                        + (recorded.isEmpty() ? "" : ". Recorded are the steps " + recorded)
                        + ". If the code is the same, it must ask for its steps in the same order each time, and not choose"
                        + " another one after a failure. Otherwise run code that has these steps, or find out what they have"
                        + " done, and then use retryFrom of IdempotencyAdministration",
                cause);
    }
}
