package io.idempotency.internal.claim;

import org.jspecify.annotations.Nullable;

/**
 * The record of a step of a leased call, which later attempts get instead of running the step.
 *
 * @param name the name of the step, unique within its call
 * @param responseBody the result as JSON text; {@code null} if the step has failed finally
 * @param failure the final failure; {@code null} if the step has succeeded
 */
public record RecordedStep(
        String name,
        @Nullable String responseBody,
        @Nullable Failure failure) {

    /** Returns the record of a step that has succeeded. */
    public static RecordedStep succeeded(String name, String responseBody) {
        return new RecordedStep(name, responseBody, null);
    }

    /** Returns the record of a step that has failed finally. */
    public static RecordedStep failed(String name, Failure failure) {
        return new RecordedStep(name, null, failure);
    }
}
