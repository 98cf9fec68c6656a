package io.idempotency.execution;

import java.lang.reflect.Type;

import org.jspecify.annotations.Nullable;

import io.idempotency.CallerResolver;
import io.idempotency.IdempotencyKey;
import io.idempotency.Intent;
import io.idempotency.InvalidIdempotencyKeyException;
import io.idempotency.MissingIdempotencyKeyException;
import io.idempotency.claim.RequestId;
import io.idempotency.codec.Fingerprinter;
import io.idempotency.operation.CallTerms;
import io.idempotency.operation.IdempotentOperation;
import io.idempotency.operation.ResultReference;

/** Computes, once for each call, who asks for what with which payload. */
public final class CallBinding {

    private final CallerResolver callerResolver;

    private final Fingerprinter fingerprinter;

    /**
     * Creates the binding.
     *
     * @param callerResolver tells who is calling
     * @param fingerprinter tells one payload from another
     */
    public CallBinding(CallerResolver callerResolver, Fingerprinter fingerprinter) {
        this.callerResolver = callerResolver;
        this.fingerprinter = fingerprinter;
    }

    IdempotentCall bind(IdempotentOperation operation, Object target, @Nullable Object[] arguments) {
        IdempotencyKey key = operation.key(target, arguments);
        Intent intent = new Intent(operation.scope(), resolveCaller(), key);
        return new IdempotentCall(
                RequestId.of(intent),
                intent,
                operation.fingerprint(target, arguments, fingerprinter),
                operation.terms(),
                operation.responseType(),
                naming(operation.resultReference(), target, arguments));
    }

    IdempotentCall bind(
            String scope,
            @Nullable String caller,
            @Nullable String key,
            @Nullable Object request,
            CallTerms terms,
            Type responseType) {
        if (key == null) {
            throw new MissingIdempotencyKeyException("A call in scope '" + scope
                    + "' has no key: it needs one that the caller chose for this one intent");
        }
        IdempotencyKey checkedKey = new IdempotencyKey(key);
        Intent intent = new Intent(scope, caller == null ? resolveCaller() : caller, checkedKey);
        return new IdempotentCall(RequestId.of(intent), intent, fingerprinter.of(request), terms, responseType, null);
    }

    /** An application's own code may return null although its interface does not. */
    private String resolveCaller() {
        @Nullable String caller = callerResolver.resolveCaller();
        if (caller == null) {
            throw new InvalidIdempotencyKeyException(
                    "The CallerResolver " + callerResolver.getClass().getName()
                            + " returned null: it must return the empty string if there is no caller to tell apart");
        }
        return caller;
    }

    private static IdempotentCall.@Nullable ResultNaming naming(
            ResultReference reference, Object target, @Nullable Object[] arguments) {
        if (reference.isEmpty()) {
            return null;
        }
        return new IdempotentCall.ResultNaming() {
            @Override
            public @Nullable String type() {
                return reference.type();
            }

            @Override
            public @Nullable String id(@Nullable Object result) {
                return reference.id(target, arguments, result);
            }
        };
    }
}
