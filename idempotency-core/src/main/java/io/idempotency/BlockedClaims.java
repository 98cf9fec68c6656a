package io.idempotency;

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Which statements of the library wait for another transaction now, as far as the role of the application may see it.
 *
 * @param claims those that have waited longest come first
 * @param hiddenBackends how many backends of the database belong to roles whose statements it may not see
 */
public record BlockedClaims(List<BlockedClaim> claims, int hiddenBackends) {

    /** Copies the list. */
    public BlockedClaims {
        claims = List.copyOf(claims);
    }

    /**
     * A backend that waits for a lock, with one that it waits for.
     *
     * @param backend the process id of the one that waits
     * @param application its application name
     * @param since when its statement began, in the database's time
     * @param blocker the process id of the one that it waits for; 0 for a prepared transaction
     * @param blockerApplication its application name; {@code null} if it is not known
     * @param blockerState what it does, such as {@code idle in transaction}; {@code null} if that is not known
     * @param blockerSince when its transaction began; {@code null} if that is not known
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
