package io.idempotency.internal.call.attempt;

import org.jspecify.annotations.Nullable;

/** The rest of a call: further interceptors, or the method itself. */
@FunctionalInterface
public interface Invocation {

    /** Proceeds with the call. */
    @Nullable Object proceed() throws Throwable;
}
