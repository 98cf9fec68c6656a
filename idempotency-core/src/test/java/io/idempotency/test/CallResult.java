package io.idempotency.test;

import java.time.Duration;

/** What one of several concurrent calls returned or threw, and how long it took. */
public record CallResult<T>(int index, T value, Throwable failure, Duration took) {

    public boolean succeeded() {
        return failure == null;
    }
}
