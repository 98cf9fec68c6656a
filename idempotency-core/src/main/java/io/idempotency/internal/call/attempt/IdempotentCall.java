package io.idempotency.internal.call.attempt;

import java.lang.reflect.Type;
import java.time.Duration;
import java.util.Map;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.idempotency.Intent;
import io.idempotency.internal.call.attempt.KeyOwnership.LocalKey;
import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.Lease;
import io.idempotency.internal.claim.RequestKey;
import io.idempotency.internal.operation.CallOptions;

/**
 * A call with all that is computed once, before its method runs. So a method that changes its arguments changes neither key nor
 * fingerprint.
 *
 * @param responseType the return type of the method with its type arguments; {@code void} if it returns nothing
 * @param attempts creates attempts that claim the key before the method runs
 * @param arguments the JSON of the arguments by the names of their parameters; {@code null} if the call is not resumed
 * @param resumed how the call was resumed; {@code null} if its caller made it
 */
public record IdempotentCall(
        RequestKey key,
        Object database,
        CallOptions options,
        Type responseType,
        @Nullable ResultNaming resultNaming,
        Function<CallExecution, TransactionalAttempt> attempts,
        @Nullable Map<String, String> arguments,
        @Nullable ResumedCall resumed) {

    /** Creates a call of a request that is not resumed, and whose result has no name. */
    public IdempotentCall(RequestKey key, Object database, CallOptions options, Type responseType) {
        this(key, database, options, responseType, null, TransactionalAttempt::new, null, null);
    }

    /** Creates a call whose result is not stored, with attempts of its own. */
    public IdempotentCall(
            RequestKey key,
            Object database,
            CallOptions options,
            Function<CallExecution, TransactionalAttempt> attempts) {
        this(key, database, options, void.class, null, attempts, null, null);
    }

    /** {@return the identity of the key in this JVM} */
    public LocalKey localKey() {
        return new LocalKey(key.id(), database);
    }

    /** {@return scope, caller and key} */
    public Intent intent() {
        return key.intent();
    }

    /**
     * Returns the request by which the call claims its key.
     *
     * @param leased the lease; {@code null} for a claim in the transaction of the effect
     */
    public ClaimRequest claimRequest(Duration waitLimit, boolean completeAtOnce, @Nullable Lease leased) {
        return new ClaimRequest(
                key, options.retention().ofKey(), responseRetention(), waitLimit, completeAtOnce, leased);
    }

    /** Returns null if the response has no retention of its own. */
    private @Nullable Duration responseRetention() {
        Duration ofResponses = options.retention().ofResponse();
        return ofResponses != null
                        && hasResponse()
                        && ofResponses.compareTo(options.retention().ofKey()) < 0
                ? ofResponses
                : null;
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
