package io.idempotency.internal.call;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.idempotency.internal.call.attempt.CallExecution;
import io.idempotency.internal.call.attempt.KeyOwnership.LocalKey;

/** Executes the calls whose claim is committed before their method runs. Leases are built on this package, which knows none. */
public interface LeasedExecutor {

    /** Returns the result of the method, or the stored one. */
    @Nullable Object execute(CallExecution execution) throws Throwable;

    /** Returns how long a call of this JVM still holds the lease on a key; zero if none does. */
    Duration remainingInThisJvm(LocalKey key);
}
