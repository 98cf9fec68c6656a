package io.idempotency.internal.operation;

import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.springframework.core.GenericTypeResolver;
import org.springframework.util.StringUtils;
import org.springframework.util.StringValueResolver;

import io.idempotency.IdempotencyMode;
import io.idempotency.Idempotent;
import io.idempotency.Intent;

/** The parser of {@link Idempotent}, which refuses invalid annotations. */
final class OperationParser {

    private final StringValueResolver placeholders;

    private final Supplier<RetentionPolicy> retention;

    OperationParser(StringValueResolver placeholders, Supplier<RetentionPolicy> retention) {
        this.placeholders = placeholders;
        this.retention = retention;
    }

    IdempotentOperation parse(Idempotent annotation, Method method, Class<?> targetClass) {
        AnnotationAttributes attributes = new AnnotationAttributes("@Idempotent", method, placeholders);
        return new IdempotentOperation(
                method,
                attributes.name("scope", annotation.scope(), Intent::requireScope),
                attributes.expression("key", annotation.key()),
                attributes.optionalExpression("fingerprint", annotation.fingerprint()),
                options(annotation, attributes),
                GenericTypeResolver.resolveType(method.getGenericReturnType(), targetClass),
                resultReference(annotation, attributes),
                annotation.resume() ? parameterTypes(method, targetClass) : null,
                null);
    }

    private static List<Type> parameterTypes(Method method, Class<?> targetClass) {
        return Stream.of(method.getGenericParameterTypes())
                .map(type -> GenericTypeResolver.resolveType(type, targetClass))
                .toList();
    }

    private CallOptions options(Idempotent annotation, AnnotationAttributes attributes) {
        if (annotation.maxAttempts() < 0) {
            throw attributes.invalid(
                    "maxAttempts",
                    String.valueOf(annotation.maxAttempts()),
                    "It must be at least 1, or 0.",
                    "Remove it to use idempotency.retry.max-attempts.");
        }
        if (annotation.mode() != IdempotencyMode.LEASED) {
            requireNotSet(attributes, "retryLeased", annotation.retryLeased() ? "true" : "");
            requireNotSet(attributes, "resume", annotation.resume() ? "true" : "");
            requireNotSet(attributes, "lease", annotation.lease());
        }
        CallOptions options = new CallOptions(
                retention(annotation, attributes),
                annotation.onDuplicate(),
                attributes.duration("waitTimeout", annotation.waitTimeout(), CallOptions::requireWaitTimeout),
                annotation.mode(),
                attributes.duration("lease", annotation.lease(), CallOptions::requireLease),
                annotation.retryLeased(),
                annotation.maxAttempts(),
                List.of(annotation.finalFailures()),
                annotation.lossyResponse());
        try {
            return options.isLeased() ? retention.get().requireForLease(options) : options;
        } catch (IllegalArgumentException longerThanRetention) {
            throw attributes.invalid(
                    "lease",
                    annotation.lease(),
                    longerThanRetention.getMessage() + ".",
                    "Choose a shorter lease or a longer retention.");
        }
    }

    private static void requireNotSet(AnnotationAttributes attributes, String attribute, String value) {
        if (!value.isEmpty()) {
            throw attributes.invalid(
                    attribute,
                    value,
                    "It has a meaning only with mode = LEASED.",
                    "Add mode = LEASED, or remove " + attribute + ".");
        }
    }

    private @Nullable Duration retention(Idempotent annotation, AnnotationAttributes attributes) {
        Duration own = attributes.duration("retention", annotation.retention(), CallOptions::requireRetention);
        if (own != null) {
            attributes.requireLongEnough(annotation.retention(), own, retention.get());
        }
        return own;
    }

    private static ResultReference resultReference(Idempotent annotation, AnnotationAttributes attributes) {
        return new ResultReference(
                StringUtils.hasText(annotation.resultType()) ? annotation.resultType() : null,
                attributes.optionalExpression("resultId", annotation.resultId(), ResultReference.RESULT_VARIABLE));
    }
}
