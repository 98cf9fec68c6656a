package io.idempotency.internal.call;

import java.lang.reflect.Type;
import java.util.List;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

import io.idempotency.Intent;
import io.idempotency.internal.claim.KeyClaimer;
import io.idempotency.internal.fingerprint.Fingerprint;
import io.idempotency.internal.operation.CallOptions;

/**
 * A call with all that is computed once, before its method runs. So a method that changes its arguments changes neither key nor
 * fingerprint.
 *
 * @param requestId the primary key of the intent, or the id of the message
 * @param database the database that the call works on
 * @param intent scope, caller and key
 * @param fingerprint the fingerprint of the payload
 * @param options options of the call
 * @param responseType the return type of the method with its type arguments; {@code void} if it returns nothing
 * @param resultNaming names what the method created; {@code null} if it is not named
 * @param isMessage whether it is the delivery of a message, which has other downstream keys than a request
 * @param keyClaimer claims the key in the transaction
 * @param arguments the names and the JSON of the arguments in turn, with which the call is resumed; {@code null} if it is not resumed
 * @param resumed how the call was resumed; {@code null} if its caller made it
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
        KeyClaimer keyClaimer,
        @Nullable List<String> arguments,
        @Nullable ResumedCall resumed) {

    /** {@return the identity of the key in this JVM} */
    public LocalKey localKey() {
        return new LocalKey(requestId, database);
    }

    boolean hasResponse() {
        return responseType != void.class;
    }

    /** Returns whether the claim can store the success at once, because the method adds nothing to the row. */
    public boolean isCompleteWithClaim() {
        return !hasResponse() && resultNaming == null;
    }

    /** Names what a method created. */
    public interface ResultNaming {

        /** Returns the type of what was created. */
        @Nullable String type();

        /** Returns the id of what was created, from the result of the method. */
        @Nullable String id(@Nullable Object result);
    }
}
