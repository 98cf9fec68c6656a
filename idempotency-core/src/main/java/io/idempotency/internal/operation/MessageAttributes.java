package io.idempotency.internal.operation;

import org.jspecify.annotations.Nullable;

import io.idempotency.ConflictPolicy;
import io.idempotency.DeliveryOrder;
import io.idempotency.InvalidIdempotencyKeyException;
import io.idempotency.MissingIdempotencyKeyException;
import io.idempotency.PayloadNotFingerprintableException;
import io.idempotency.internal.codec.Fingerprint;
import io.idempotency.internal.codec.Fingerprinter;
import io.idempotency.internal.codec.StorableText;

/**
 * What an operation says of a message beside its id. Immutable.
 *
 * @param payloadExpression gives what must be equal when an id comes back; {@code null} if that is not compared
 * @param typeExpression gives the type; {@code null} if it is not told
 * @param stream where in which order; {@code null} if no order is kept
 * @param onConflict what to do with another payload
 */
public record MessageAttributes(
        @Nullable ArgumentExpression payloadExpression,
        @Nullable ArgumentExpression typeExpression,
        @Nullable Stream stream,
        ConflictPolicy onConflict) {

    private static final int MAX_TYPE_LENGTH = 128;

    /**
     * The payload of one delivery.
     *
     * @param target the bean's own object
     * @param arguments of the call
     * @param fingerprinter tells one payload from another
     * @return its fingerprint; {@code null} if it is not compared
     */
    public @Nullable Fingerprint payload(Object target, @Nullable Object[] arguments, Fingerprinter fingerprinter) {
        if (payloadExpression == null) {
            return null;
        }
        try {
            return fingerprinter.of(payloadExpression.evaluate(target, arguments), payloadExpression.declaredType());
        } catch (PayloadNotFingerprintableException refused) {
            throw new PayloadNotFingerprintableException(
                    "What the " + payloadExpression + " gives: " + refused.getMessage(), refused.getCause());
        }
    }

    /**
     * The type of one message.
     *
     * @param target the bean's own object
     * @param arguments of the call
     * @return its first characters; {@code null} if it is not told
     */
    public @Nullable String type(Object target, @Nullable Object[] arguments) {
        Object type = typeExpression == null ? null : typeExpression.evaluate(target, arguments);
        return type == null ? null : StorableText.of(type.toString(), MAX_TYPE_LENGTH);
    }

    /**
     * The place of one message in its stream.
     *
     * @param consumer who receives, for reports
     * @param target the bean's own object
     * @param arguments of the call
     * @return the place; {@code null} if no order is kept
     * @throws MissingIdempotencyKeyException if an expression gives nothing
     * @throws InvalidIdempotencyKeyException if one gives what cannot be a stream or a version, or fails
     */
    public @Nullable StreamPosition position(String consumer, Object target, @Nullable Object[] arguments) {
        return stream == null
                ? null
                : new StreamPosition(
                        KeyValue.ofStream(consumer).text(stream.streamExpression(), target, arguments),
                        KeyValue.ofVersion(consumer).wholeNumber(stream.versionExpression(), target, arguments),
                        stream.order(),
                        stream.firstVersion());
    }

    /**
     * In which order messages are handled.
     *
     * @param streamExpression gives what the order is kept for
     * @param versionExpression gives the place of a message
     * @param order whether gaps matter
     * @param firstVersion what a stream begins with, if they do
     */
    public record Stream(
            ArgumentExpression streamExpression,
            ArgumentExpression versionExpression,
            DeliveryOrder order,
            long firstVersion) {}
}
