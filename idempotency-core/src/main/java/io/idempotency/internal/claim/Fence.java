package io.idempotency.internal.claim;

import java.util.UUID;

import org.jspecify.annotations.Nullable;

/**
 * Names one claim, so that an old holder of a key cannot touch what a later one does.
 *
 * @param requestId the primary key that stands for the intent
 * @param attempt the number of the attempt
 * @param token of the lease; {@code null} for a claim that is part of its transaction
 */
public record Fence(UUID requestId, int attempt, @Nullable UUID token) {}
