package io.idempotency.internal.claim;

import org.jspecify.annotations.Nullable;

/**
 * The success of a call, as it is stored in the row of its claim.
 *
 * @param responseBody the response as JSON text
 */
public record Completion(
        Fence fence,
        String responseBody,
        @Nullable String resultType,
        @Nullable String resultId) {

    /** Returns whether the completion names what the call created. */
    public boolean hasReference() {
        return resultType != null || resultId != null;
    }
}
