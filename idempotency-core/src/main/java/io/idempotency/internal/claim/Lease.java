package io.idempotency.internal.claim;

import java.time.Duration;
import java.util.Map;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

/**
 * The lease that a call asks for, whose claim is committed before the method runs.
 *
 * @param token a random id of this claim, by which a call recognises its own claim after a COMMIT without an answer
 * @param duration time for which the lease holds the key unless it is ended or extended, in the database's time
 * @param arguments the JSON of the arguments by the names of their parameters, with which it is resumed; {@code null} if it is not
 *     resumed
 * @param resumption the part of an instance in the attempt; {@code null} if the caller makes it
 */
public record Lease(
        UUID token,
        Duration duration,
        @Nullable Map<String, String> arguments,
        @Nullable Resumption resumption) {

    /**
     * An attempt that an instance makes without the caller.
     *
     * @param nextAfter time after which the next one may begin if this one does not end, from now
     */
    public record Resumption(int count, Duration nextAfter) {}
}
