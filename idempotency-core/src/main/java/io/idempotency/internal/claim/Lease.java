package io.idempotency.internal.claim;

import java.time.Duration;
import java.util.UUID;

/**
 * Asks for a claim that is committed before its effect.
 *
 * @param token tells this claim from every other, so that one whose COMMIT got lost is recognised as our own
 * @param duration how long it holds the key if its holder vanishes, in the database's time
 */
public record Lease(UUID token, Duration duration) {}
