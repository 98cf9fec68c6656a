package io.idempotency.internal.execution;

import java.time.Duration;

/** When it is worth a client's while to repeat a call that met another. */
public final class RetryAfter {

    private static final Duration SHORTEST = Duration.ofSeconds(1);

    private RetryAfter() {}

    public static Duration of(Duration expected) {
        return expected.compareTo(SHORTEST) < 0 ? SHORTEST : expected;
    }
}
