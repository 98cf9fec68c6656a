package io.idempotency.internal.inbox;

import org.jspecify.annotations.Nullable;

import io.idempotency.InvalidIdempotencyKeyException;
import io.idempotency.MissingIdempotencyKeyException;
import io.idempotency.PayloadNotFingerprintableException;
import io.idempotency.inbox.ConflictPolicy;
import io.idempotency.inbox.DeliveryOrder;
import io.idempotency.internal.fingerprint.Fingerprint;
import io.idempotency.internal.fingerprint.Fingerprinter;
import io.idempotency.internal.operation.ArgumentExpression;
import io.idempotency.internal.response.StorableText;

/**
 * The attributes of a message in addition to its id. Immutable.
 *
 * @param payloadExpression expression of the payload; {@code null} if payloads are not compared
 * @param stream stream of the message; {@code null} if no order is kept
 * @param onConflict policy for an id with another payload
 */
public record MessageAttributes(
        @Nullable ArgumentExpression payloadExpression,
        @Nullable ArgumentExpression typeExpression,
        @Nullable Stream stream,
        ConflictPolicy onConflict) {

    private static final int MAX_TYPE_LENGTH = 128;

    /**
     * Computes the fingerprint of the payload of one delivery.
     *
     * @return the fingerprint; {@code null} if payloads are not compared
     */
    public @Nullable Fingerprint payload(Object target, @Nullable Object[] arguments, Fingerprinter fingerprinter) {
        if (payloadExpression == null) {
            return null;
        }
        try {
            return fingerprinter.of(payloadExpression.evaluate(target, arguments), payloadExpression.declaredType());
        } catch (PayloadNotFingerprintableException refused) {
            throw new PayloadNotFingerprintableException(
                    "What the " + payloadExpression + " gives: " + refused.getMessage()
                            + ". To compare something else, name it with payload = \"...\"",
                    refused.getCause());
        }
    }

    /**
     * Computes the type of one message.
     *
     * @return the type, cut after 128 characters; {@code null} if there is none
     */
    public @Nullable String type(Object target, @Nullable Object[] arguments) {
        Object type = typeExpression == null ? null : typeExpression.evaluate(target, arguments);
        return type == null ? null : StorableText.of(type.toString(), MAX_TYPE_LENGTH);
    }

    /**
     * Computes the position of one message in its stream.
     *
     * @return the position; {@code null} if no order is kept
     * @throws MissingIdempotencyKeyException if an expression gives {@code null}
     * @throws InvalidIdempotencyKeyException if a value is not a valid stream or version, or an expression fails
     */
    public @Nullable StreamPosition position(String consumer, Object target, @Nullable Object[] arguments) {
        return stream == null
                ? null
                : new StreamPosition(
                        MessageValues.stream(consumer).text(stream.streamExpression(), target, arguments),
                        MessageValues.version(consumer).wholeNumber(stream.versionExpression(), target, arguments),
                        stream.order(),
                        stream.firstVersion());
    }

    /**
     * The order of messages.
     *
     * @param order whether gaps are refused
     * @param firstVersion first version of a stream, if gaps are refused
     */
    public record Stream(
            ArgumentExpression streamExpression,
            ArgumentExpression versionExpression,
            DeliveryOrder order,
            long firstVersion) {}
}
