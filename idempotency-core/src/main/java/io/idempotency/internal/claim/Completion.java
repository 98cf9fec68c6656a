package io.idempotency.internal.claim;

import org.jspecify.annotations.Nullable;

/**
 * The success of a call, as it is stored in the row of its claim.
 *
 * @param fence the claim that is completed
 * @param responseBody the response as JSON text
 * @param resultType the type of what the call created; {@code null} if not named
 * @param resultId the id of what the call created; {@code null} if not named
 */
public record Completion(
        Fence fence,
        String responseBody,
        @Nullable String resultType,
        @Nullable String resultId) {

    /**
     * Returns whether the completion names what the call created.
     *
     * @return {@code true} if it has a type or an id
     */
    public boolean hasReference() {
        return resultType != null || resultId != null;
    }
}
