package io.idempotency.internal.claim;

import java.time.Duration;
import java.util.UUID;

/**
 * The lease that a call asks for, whose claim is committed before the method runs.
 *
 * @param token a random id of this claim, by which a call recognises its own claim after a COMMIT without an answer
 * @param duration time for which the lease holds the key unless it is ended or extended, in the database's time
 */
public record Lease(UUID token, Duration duration) {}
