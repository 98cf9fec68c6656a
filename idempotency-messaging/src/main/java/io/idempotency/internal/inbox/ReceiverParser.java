package io.idempotency.internal.inbox;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.springframework.core.GenericTypeResolver;
import org.springframework.util.StringValueResolver;

import io.idempotency.InvalidIdempotentMethodException;
import io.idempotency.inbox.ConflictPolicy;
import io.idempotency.inbox.DeliveryOrder;
import io.idempotency.inbox.IdempotentReceiver;
import io.idempotency.internal.operation.AnnotationAttributes;
import io.idempotency.internal.operation.AnnotationParser;
import io.idempotency.internal.operation.ArgumentExpression;
import io.idempotency.internal.operation.CallOptions;
import io.idempotency.internal.operation.ExpressionType;
import io.idempotency.internal.operation.MethodDescription;
import io.idempotency.internal.operation.OperationKind;

/** The parser of {@link IdempotentReceiver}, which refuses invalid annotations. */
public final class ReceiverParser implements AnnotationParser<IdempotentReceiver> {

    private static final long DEFAULT_FIRST_VERSION = 1;

    private final StringValueResolver placeholders;

    private final Supplier<MessageRetention> retention;

    /**
     * Creates the parser.
     *
     * @param retention called when the first annotation is found
     */
    public ReceiverParser(StringValueResolver placeholders, Supplier<MessageRetention> retention) {
        this.placeholders = placeholders;
        this.retention = retention;
    }

    @Override
    public OperationKind kind() {
        return ReceiverOperation.KIND;
    }

    @Override
    public Class<IdempotentReceiver> annotationType() {
        return IdempotentReceiver.class;
    }

    @Override
    public ReceiverOperation parse(IdempotentReceiver annotation, Method method, Class<?> targetClass) {
        requireNullable(method);
        AnnotationAttributes attributes = new AnnotationAttributes("@IdempotentReceiver", method, placeholders);
        String consumer = attributes.name("consumer", annotation.consumer(), ConsumerName::require);
        Duration own = retention(annotation, consumer, attributes);
        ArgumentExpression id = attributes.expression("messageId", annotation.messageId());
        return new ReceiverOperation(
                method,
                consumer,
                annotation.shared() || id.readsTarget(),
                id,
                message(annotation, attributes),
                retention.get().defaults().withRetention(retention.get().ofConsumer(consumer, own)),
                GenericTypeResolver.resolveType(method.getGenericReturnType(), targetClass));
    }

    /** A receiver stores no response, but returns null for a duplicate. */
    private static void requireNullable(Method method) {
        Class<?> returned = method.getReturnType();
        if (returned.isPrimitive() && returned != void.class) {
            throw new InvalidIdempotentMethodException(
                    "The idempotent method " + MethodDescription.of(method) + " returns " + returned.getName()
                            + ", but for a duplicate message it returns null.",
                    "Return nothing, or a type that can be null.");
        }
    }

    /** Checks the annotation's retention unless the configuration, which is checked elsewhere, overrides it. */
    private @Nullable Duration retention(
            IdempotentReceiver annotation, String consumer, AnnotationAttributes attributes) {
        Duration own = attributes.duration("retention", annotation.retention(), CallOptions::requireRetention);
        if (own != null && retention.get().ofConsumer(consumer, own).equals(own)) {
            attributes.requireLongEnough(
                    annotation.retention(), own, retention.get().policy());
        }
        return own;
    }

    private static MessageAttributes message(IdempotentReceiver annotation, AnnotationAttributes attributes) {
        ArgumentExpression payload = attributes.optionalExpression("payload", annotation.payload());
        if (payload == null && annotation.onConflict() != ConflictPolicy.REFUSE) {
            throw attributes.invalid(
                    "onConflict",
                    annotation.onConflict().name(),
                    "It has a meaning only with a payload.",
                    "Name the payload, or remove onConflict.");
        }
        return new MessageAttributes(
                payload,
                attributes.optionalExpression("type", annotation.type()),
                stream(annotation, attributes),
                annotation.onConflict());
    }

    private static MessageAttributes.@Nullable Stream stream(
            IdempotentReceiver annotation, AnnotationAttributes attributes) {
        ArgumentExpression stream = attributes.optionalExpression("stream", annotation.stream());
        ArgumentExpression version = attributes.optionalExpression("version", annotation.version());
        if (annotation.order() != DeliveryOrder.STRICT && annotation.firstVersion() != DEFAULT_FIRST_VERSION) {
            throw attributes.invalid(
                    "firstVersion",
                    String.valueOf(annotation.firstVersion()),
                    "It has a meaning only with order = STRICT.",
                    "Add order = STRICT, or remove firstVersion.");
        }
        if (stream == null && version == null) {
            if (annotation.order() != DeliveryOrder.MONOTONIC) {
                throw attributes.invalid(
                        "order",
                        annotation.order().name(),
                        "It has a meaning only with a stream and a version.",
                        "Add stream and version, or remove order.");
            }
            return null;
        }
        if (version == null) {
            throw attributes.invalid(
                    "version", "", "It is required with a stream.", "Add version = \"...\", or remove stream.");
        }
        if (stream == null) {
            throw attributes.invalid(
                    "stream", "", "It is required with a version.", "Add stream = \"...\", or remove version.");
        }
        ExpressionType.STREAM.check(stream);
        ExpressionType.VERSION.check(version);
        return new MessageAttributes.Stream(stream, version, annotation.order(), annotation.firstVersion());
    }
}
