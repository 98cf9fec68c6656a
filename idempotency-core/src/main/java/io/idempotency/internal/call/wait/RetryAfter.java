package io.idempotency.internal.call.wait;

import java.time.Duration;

/** Computes the retry-after of a refused call: the expected wait, but at least one second. */
public final class RetryAfter {

    private static final Duration SHORTEST = Duration.ofSeconds(1);

    private RetryAfter() {}

    public static Duration of(Duration expected) {
        return expected.compareTo(SHORTEST) < 0 ? SHORTEST : expected;
    }
}
