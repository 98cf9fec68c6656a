package io.idempotency.internal.call;

import org.jspecify.annotations.Nullable;

import io.idempotency.Intent;
import io.idempotency.internal.response.ResponseMapper;

/** Rolls a call back whose response asks for a repeat. Outside of the transaction, the caller gets the response. */
final class RepeatRequestedException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final transient @Nullable Object response;

    private RepeatRequestedException(Intent intent, @Nullable Object response) {
        super("The response to the " + intent + " asks for a repeat, so it is not stored", null, false, false);
        this.response = response;
    }

    /** Throws if the response of a call must not be stored. */
    static void throwIfAsked(ResponseMapper responses, IdempotentCall call, @Nullable Object response) {
        if (call.hasResponse() && responses.asksForRepeat(response, call.responseType())) {
            throw new RepeatRequestedException(call.intent(), response);
        }
    }

    @Nullable Object response() {
        return response;
    }
}
