package io.idempotency.internal.operation;

import java.lang.reflect.Method;
import java.lang.reflect.Type;

import org.jspecify.annotations.Nullable;

import io.idempotency.IdempotencyKey;
import io.idempotency.InvalidIdempotencyKeyException;
import io.idempotency.MissingIdempotencyKeyException;
import io.idempotency.PayloadNotFingerprintableException;
import io.idempotency.internal.codec.Fingerprint;
import io.idempotency.internal.codec.Fingerprinter;

/**
 * What the annotation of one method says, read once and parsed: a call, or the receipt of a message, whose consumer takes
 * the place of the scope and whose id takes the place of the key. Immutable.
 *
 * @param method the method of the bean's own class
 * @param scope the operation that keys belong to, placeholders replaced
 * @param keyExpression gives the key
 * @param fingerprintExpression gives what tells one payload from another; {@code null} for all arguments
 * @param options how the key is held
 * @param responseType what the method returns, type arguments included; {@code void} if nothing
 * @param resultReference names what the method made
 * @param message what it says of a message; {@code null} for a call
 */
public record IdempotentOperation(
        Method method,
        String scope,
        ArgumentExpression keyExpression,
        @Nullable ArgumentExpression fingerprintExpression,
        CallOptions options,
        Type responseType,
        ResultReference resultReference,
        @Nullable MessageAttributes message) {

    /**
     * How error reports name the annotation.
     *
     * @return its simple name, with {@code @}
     */
    public String annotation() {
        return message == null ? "@Idempotent" : "@IdempotentReceiver";
    }

    /**
     * The key of one call.
     *
     * @param target the bean's own object
     * @param arguments of the call
     * @return a well-formed key
     * @throws MissingIdempotencyKeyException if the expression gives nothing
     * @throws InvalidIdempotencyKeyException if it gives what cannot be a key, or fails
     */
    public IdempotencyKey key(Object target, @Nullable Object[] arguments) {
        return message == null
                ? KeyValue.ofScope(scope).key(keyExpression, target, arguments)
                : new IdempotencyKey(KeyValue.ofConsumer(scope).text(keyExpression, target, arguments));
    }

    /**
     * The fingerprint of one call.
     *
     * @param target the bean's own object
     * @param arguments of the call
     * @param fingerprinter makes it
     * @return the fingerprint of what the annotation names, or of all arguments
     */
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
                            + " in scope '" + scope + "': " + refused.getMessage(),
                    refused.getCause());
        }
    }

    /**
     * How error reports name the method.
     *
     * @return class, method and parameter types
     */
    public String describe() {
        return MethodDescription.of(method);
    }
}
