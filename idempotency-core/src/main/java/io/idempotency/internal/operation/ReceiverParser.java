package io.idempotency.internal.operation;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.springframework.core.GenericTypeResolver;
import org.springframework.util.StringValueResolver;

import io.idempotency.Intent;
import io.idempotency.inbox.ConflictPolicy;
import io.idempotency.inbox.DeliveryOrder;
import io.idempotency.inbox.IdempotentReceiver;

/** The parser of {@link IdempotentReceiver}, which refuses invalid annotations. */
final class ReceiverParser {

    private static final long DEFAULT_FIRST_VERSION = 1;

    private final StringValueResolver placeholders;

    private final Supplier<RetentionPolicy> retention;

    ReceiverParser(StringValueResolver placeholders, Supplier<RetentionPolicy> retention) {
        this.placeholders = placeholders;
        this.retention = retention;
    }

    IdempotentOperation parse(IdempotentReceiver annotation, Method method, Class<?> targetClass) {
        AnnotationAttributes attributes = new AnnotationAttributes("@IdempotentReceiver", method, placeholders);
        String consumer = attributes.name("consumer", annotation.consumer(), Intent::requireConsumer);
        Duration own = retention(annotation, consumer, attributes);
        return new IdempotentOperation(
                method,
                consumer,
                attributes.expression("messageId", annotation.messageId()),
                null,
                retention.get().defaults().withRetention(retention.get().ofConsumer(consumer, own)),
                GenericTypeResolver.resolveType(method.getGenericReturnType(), targetClass),
                null,
                null,
                message(annotation, attributes));
    }

    /** Checks the annotation's retention unless the configuration, which is checked elsewhere, overrides it. */
    private @Nullable Duration retention(
            IdempotentReceiver annotation, String consumer, AnnotationAttributes attributes) {
        Duration own = attributes.duration("retention", annotation.retention(), CallOptions::requireRetention);
        if (own != null && retention.get().ofConsumer(consumer, own).equals(own)) {
            attributes.requireLongEnough(annotation.retention(), own, retention.get());
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
        return new MessageAttributes.Stream(stream, version, annotation.order(), annotation.firstVersion());
    }
}
