package io.idempotency.internal.claim;

import org.jspecify.annotations.Nullable;

/**
 * What is stored when a claim succeeded.
 *
 * @param fence which claim may complete it
 * @param responseBody the response as JSON text
 * @param resultType what kind of thing the call made; {@code null} if not told
 * @param resultId which thing it made; {@code null} if not told
 */
public record Completion(
        Fence fence,
        String responseBody,
        @Nullable String resultType,
        @Nullable String resultId) {

    /**
     * Whether it tells what the call made.
     *
     * @return true if type or id are told
     */
    public boolean hasReference() {
        return resultType != null || resultId != null;
    }
}
