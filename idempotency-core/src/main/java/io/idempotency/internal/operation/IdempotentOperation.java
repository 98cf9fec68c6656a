package io.idempotency.internal.operation;

import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.idempotency.IdempotencyKey;
import io.idempotency.InvalidIdempotencyKeyException;
import io.idempotency.MissingIdempotencyKeyException;
import io.idempotency.PayloadNotFingerprintableException;
import io.idempotency.internal.fingerprint.Fingerprint;
import io.idempotency.internal.fingerprint.Fingerprinter;

/**
 * The parsed annotation of one method: a call, or a receiver of messages, whose consumer is the scope and whose message
 * id is the key. Immutable.
 *
 * @param method method of the bean's own class
 * @param scope scope or consumer, with placeholders replaced
 * @param keyExpression expression of the key or message id
 * @param fingerprintExpression expression of the payload; {@code null} for all arguments
 * @param options options of the call
 * @param responseType return type of the method, type arguments included
 * @param resultReference reference to the object that the method creates; {@code null} if there is none
 * @param storedArguments types of the arguments by the names of their parameters, in their order, with which the call is resumed;
 *     {@code null} if it is not resumed
 * @param message attributes of a message; {@code null} for a call
 */
public record IdempotentOperation(
        Method method,
        String scope,
        ArgumentExpression keyExpression,
        @Nullable ArgumentExpression fingerprintExpression,
        CallOptions options,
        Type responseType,
        @Nullable ResultReference resultReference,
        @Nullable Map<String, Type> storedArguments,
        @Nullable MessageAttributes message) {

    /** {@return the simple name of the annotation with {@code @}, for error messages} */
    public String annotation() {
        return message == null ? "@Idempotent" : "@IdempotentReceiver";
    }

    /**
     * Computes the key of one call.
     *
     * @throws MissingIdempotencyKeyException if the expression gives {@code null}
     * @throws InvalidIdempotencyKeyException if its value is not a valid key, or it fails
     */
    public IdempotencyKey key(Object target, @Nullable Object[] arguments) {
        return message == null
                ? KeyValue.ofScope(scope).key(keyExpression, target, arguments)
                : new IdempotencyKey(KeyValue.ofConsumer(scope).text(keyExpression, target, arguments));
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

    /** {@return class, method and parameter types, for error messages} */
    public String describe() {
        return MethodDescription.of(method);
    }

    /**
     * Returns whether both are read from one annotation, because a scope or consumer belongs to one.
     *
     * @return {@code true} if both are calls or both receivers, and have the same scope or consumer
     */
    public boolean isOfSameAnnotation(IdempotentOperation other) {
        return scope.equals(other.scope) && (message == null) == (other.message == null);
    }
}
