package io.idempotency.internal.execution;

import org.jspecify.annotations.Nullable;

/** The rest of a call: further interceptors, or the method itself. */
@FunctionalInterface
public interface Invocation {

    /**
     * Goes on with the call.
     *
     * @return its result
     * @throws Throwable whatever it threw
     */
    @Nullable Object proceed() throws Throwable;
}
