package io.idempotency.execution;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.idempotency.Intent;
import io.idempotency.Outcome;

/** Tells the listener what became of a call, as what it was. */
@FunctionalInterface
interface Announcement {

    void ended(@Nullable Intent intent, Outcome outcome, Duration duration, @Nullable Throwable failure);
}
