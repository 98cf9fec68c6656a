package io.idempotency.internal.operation;

import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.idempotency.IdempotencyKey;
import io.idempotency.Idempotent;
import io.idempotency.InvalidIdempotencyKeyException;
import io.idempotency.MissingIdempotencyKeyException;
import io.idempotency.PayloadNotFingerprintableException;
import io.idempotency.internal.fingerprint.Fingerprint;
import io.idempotency.internal.fingerprint.Fingerprinter;

/**
 * The parsed {@link Idempotent} of one method. Immutable.
 *
 * @param method method of the bean's own class
 * @param scope scope, with placeholders replaced
 * @param shared whether several beans may have the method
 * @param fingerprintExpression expression of the payload; {@code null} for all arguments
 * @param responseType return type of the method, type arguments included
 * @param storedArguments types of the arguments by the names of their parameters, in their order, with which the call is resumed;
 *     {@code null} if it is not resumed
 */
public record CallOperation(
        Method method,
        String scope,
        boolean shared,
        ArgumentExpression keyExpression,
        @Nullable ArgumentExpression fingerprintExpression,
        CallOptions options,
        Type responseType,
        @Nullable ResultReference resultReference,
        @Nullable Map<String, Type> storedArguments)
        implements IdempotentOperation {

    /** The kind of these operations. */
    public static final OperationKind KIND = new OperationKind(
            Idempotent.class, "calls that have a response", "scope", "key", "keys are already stored");

    @Override
    public OperationKind kind() {
        return KIND;
    }

    /**
     * Computes the key of one call.
     *
     * @throws MissingIdempotencyKeyException if the expression gives {@code null}
     * @throws InvalidIdempotencyKeyException if its value is not a valid key, or it fails
     */
    public IdempotencyKey key(Object target, @Nullable Object[] arguments) {
        return KeyValue.ofScope(scope).key(keyExpression, target, arguments);
    }

    /** Computes the fingerprint of one call. */
    public Fingerprint fingerprint(Object target, @Nullable Object[] arguments, Fingerprinter fingerprinter) {
        try {
            return fingerprintExpression == null
                    ? fingerprinter.ofArguments(arguments, method)
                    : fingerprinter.of(
                            fingerprintExpression.evaluate(target, arguments), fingerprintExpression.declaredType());
        } catch (PayloadNotFingerprintableException refused) {
            throw new PayloadNotFingerprintableException(
                    (fingerprintExpression == null
                                    ? "The arguments of " + describe()
                                    : "What the " + fingerprintExpression + " gives")
                            + " in scope '" + scope + "': " + refused.getMessage()
                            + ". To compare something else, name it with fingerprint = \"...\"",
                    refused.getCause());
        }
    }
}
