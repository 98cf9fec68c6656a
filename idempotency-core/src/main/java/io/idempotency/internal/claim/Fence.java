package io.idempotency.internal.claim;

import java.time.Duration;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

/**
 * The identity of one claim. Statements that complete, fail or extend a claim compare it, so that a former holder of
 * the key changes nothing.
 *
 * @param token the token of the lease; {@code null} for a claim that is part of its transaction
 * @param resumableFor the retention of a call that may be resumed without its caller; {@code null} for other calls
 */
public record Fence(
        RequestKey key,
        int attempt,
        @Nullable UUID token,
        @Nullable Duration resumableFor) {

    /** Creates the fence of a call that is not resumed. */
    public Fence(RequestKey key, int attempt, @Nullable UUID token) {
        this(key, attempt, token, null);
    }

    /** {@return the primary key} */
    public UUID requestId() {
        return key.id();
    }

    /** {@return the caller of the request, which may say in which shard its row is} */
    public String caller() {
        return key.intent().caller();
    }
}
