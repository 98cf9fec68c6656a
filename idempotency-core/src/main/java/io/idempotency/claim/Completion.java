package io.idempotency.claim;

import java.util.UUID;

import org.jspecify.annotations.Nullable;

/**
 * What is stored when a claim succeeded.
 *
 * @param id the primary key that stands for the intent
 * @param responseBody the response as JSON text
 * @param resultType what kind of thing the call made; {@code null} if not told
 * @param resultId which thing it made; {@code null} if not told
 */
public record Completion(
        UUID id,
        String responseBody,
        @Nullable String resultType,
        @Nullable String resultId) {}
