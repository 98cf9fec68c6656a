package io.idempotency.internal.inbox;

import java.lang.reflect.Method;
import java.lang.reflect.Type;

import org.jspecify.annotations.Nullable;

import io.idempotency.IdempotencyKey;
import io.idempotency.InvalidIdempotencyKeyException;
import io.idempotency.MissingIdempotencyKeyException;
import io.idempotency.inbox.IdempotentReceiver;
import io.idempotency.internal.operation.ArgumentExpression;
import io.idempotency.internal.operation.CallOptions;
import io.idempotency.internal.operation.IdempotentOperation;
import io.idempotency.internal.operation.OperationKind;

/**
 * The parsed {@link IdempotentReceiver} of one method. Immutable.
 *
 * @param method method of the bean's own class
 * @param scope consumer, with placeholders replaced
 * @param shared whether several beans may have the method
 * @param keyExpression expression of the message id
 * @param message what the annotation says of a message in addition to its id
 * @param responseType return type of the method, type arguments included
 */
public record ReceiverOperation(
        Method method,
        String scope,
        boolean shared,
        ArgumentExpression keyExpression,
        MessageAttributes message,
        CallOptions options,
        Type responseType)
        implements IdempotentOperation {

    /** The kind of these operations. */
    public static final OperationKind KIND = new OperationKind(
            IdempotentReceiver.class, "messages", "consumer", "messageId", "messages were already handled");

    @Override
    public OperationKind kind() {
        return KIND;
    }

    /**
     * Computes the id of the message of one delivery.
     *
     * @throws MissingIdempotencyKeyException if the expression gives {@code null}
     * @throws InvalidIdempotencyKeyException if its value is not a valid id, or it fails
     */
    IdempotencyKey messageId(Object target, @Nullable Object[] arguments) {
        return new IdempotencyKey(MessageValues.id(scope).text(keyExpression, target, arguments));
    }
}
