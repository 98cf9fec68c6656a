package io.idempotency.internal.resume;

import java.time.Duration;
import java.util.Map;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

import io.idempotency.Intent;

/**
 * The message of a call that is due to be resumed.
 *
 * @param token the token of the lease after which it is due
 * @param arguments the JSON of its arguments by the names of their parameters
 * @param attempts how many attempts instances have made since the last one of its caller
 * @param problem what cannot be read of its message; {@code null} if it is whole
 */
public record DueCall(
        UUID messageId,
        Intent intent,
        String token,
        Map<String, String> arguments,
        int attempts,
        Duration waited,
        @Nullable String problem) {

    /** The topic of these messages. */
    public static final String TOPIC = "idempotency.resume";
}
