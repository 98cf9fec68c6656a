package io.idempotency;

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The statements of the library that wait for another transaction now, as far as the application's role may see them.
 *
 * @param claims waiting statements, the longest wait first
 * @param hiddenBackends number of backends whose statements the application's role may not see
 */
public record BlockedClaims(List<BlockedClaim> claims, int hiddenBackends) {

    /** Copies the list. */
    public BlockedClaims {
        claims = List.copyOf(claims);
    }

    /**
     * A backend that waits for a lock, and one of the backends that it waits for.
     *
     * @param backend process id of the waiting backend
     * @param application application name of the waiting backend
     * @param since time at which its statement began, by the database's clock
     * @param blocker process id of the blocking backend; 0 for a prepared transaction
     * @param blockerApplication application name of the blocking backend; {@code null} if it is not known
     * @param blockerState state of the blocking backend, such as {@code idle in transaction}; {@code null} if it is not
     *     known
     * @param blockerSince time at which the blocking transaction began; {@code null} if it is not known
     */
    public record BlockedClaim(
            int backend,
            String application,
            Instant since,
            int blocker,
            @Nullable String blockerApplication,
            @Nullable String blockerState,
            @Nullable Instant blockerSince) {}
}
