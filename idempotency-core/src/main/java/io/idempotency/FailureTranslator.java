package io.idempotency;

import org.jspecify.annotations.Nullable;

/**
 * A translator of final failures into codes and codes into exceptions, so that a repeat throws the application's own
 * exception. An application defines one bean of this type.
 */
public interface FailureTranslator {

    /**
     * Returns the code to record for a failure.
     *
     * @param failure the exception that the method threw
     * @return a stable text, at most 255 characters; by default the name of the exception's class
     */
    default String codeOf(Throwable failure) {
        return failure.getClass().getName();
    }

    /**
     * Returns the exception to throw for a recorded failure.
     *
     * @param failure recorded code and message
     * @return the application's exception; {@code null} to throw the recorded failure itself. A checked exception must
     *     be declared by the method
     */
    default @Nullable Exception toException(RecordedFailureException failure) {
        return null;
    }
}
