package io.idempotency.internal.execution;

import java.lang.reflect.Type;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

import io.idempotency.Intent;
import io.idempotency.internal.claim.KeyClaimer;
import io.idempotency.internal.codec.Fingerprint;
import io.idempotency.internal.operation.CallOptions;

/**
 * One call with everything that is computed once, before its method runs: a method that changes its argument changes
 * neither key nor fingerprint.
 *
 * @param requestId the primary key that stands for the intent
 * @param database that the call works on
 * @param intent scope, caller and key
 * @param fingerprint of the payload
 * @param options how the key is held
 * @param responseType what the method returns, type arguments included; {@code void} if nothing
 * @param resultNaming names what the method made; {@code null} if it is not named
 * @param isMessage whether it is the delivery of a message, whose keys are apart from those of calls
 * @param keyClaimer by whom the key is claimed in the transaction
 */
public record IdempotentCall(
        UUID requestId,
        Object database,
        Intent intent,
        Fingerprint fingerprint,
        CallOptions options,
        Type responseType,
        @Nullable ResultNaming resultNaming,
        boolean isMessage,
        KeyClaimer keyClaimer) {

    LocalKey localKey() {
        return new LocalKey(requestId, database);
    }

    boolean hasResponse() {
        return responseType != void.class;
    }

    /** Whether all that the row will ever hold is known with the claim. */
    boolean isCompleteWithClaim() {
        return !hasResponse() && resultNaming == null;
    }

    /** Names what a method made. */
    public interface ResultNaming {

        /** Returns the type of what was made. */
        @Nullable String type();

        /** Returns the id of what was made, from the result of the method. */
        @Nullable String id(@Nullable Object result);
    }
}
