package io.idempotency.internal.call.attempt;

import org.jspecify.annotations.Nullable;

import io.idempotency.Intent;

/** Rolls a call back whose response asks for a repeat. Outside of the transaction, the caller gets the response. */
public final class RepeatRequestedException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final transient @Nullable Object response;

    RepeatRequestedException(Intent intent, @Nullable Object response) {
        super("The response to the " + intent + " asks for a repeat, so it is not stored", null, false, false);
        this.response = response;
    }

    public @Nullable Object response() {
        return response;
    }
}
