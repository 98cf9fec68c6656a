package io.idempotency.internal.operation;

import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.GenericTypeResolver;
import org.springframework.util.StringUtils;
import org.springframework.util.StringValueResolver;

import io.idempotency.Idempotent;
import io.idempotency.Intent;
import io.idempotency.InvalidIdempotentMethodException;

/** The parser of {@link Idempotent}, which refuses invalid annotations. */
final class OperationParser implements AnnotationParser<Idempotent> {

    private final StringValueResolver placeholders;

    private final Supplier<RetentionPolicy> retention;

    OperationParser(StringValueResolver placeholders, Supplier<RetentionPolicy> retention) {
        this.placeholders = placeholders;
        this.retention = retention;
    }

    @Override
    public OperationKind kind() {
        return CallOperation.KIND;
    }

    @Override
    public Class<Idempotent> annotationType() {
        return Idempotent.class;
    }

    @Override
    public CallOperation parse(Idempotent annotation, Method method, Class<?> targetClass) {
        AnnotationAttributes attributes = new AnnotationAttributes("@Idempotent", method, placeholders);
        ArgumentExpression key = attributes.expression("key", annotation.key());
        return new CallOperation(
                method,
                attributes.name("scope", annotation.scope(), Intent::requireScope),
                annotation.shared() || key.readsTarget(),
                key,
                attributes.optionalExpression("fingerprint", annotation.fingerprint()),
                options(annotation, attributes),
                GenericTypeResolver.resolveType(method.getGenericReturnType(), targetClass),
                resultReference(annotation, attributes),
                annotation.resume() ? storedArguments(method, targetClass) : null);
    }

    private static Map<String, Type> storedArguments(Method method, Class<?> targetClass) {
        String @Nullable [] names = new DefaultParameterNameDiscoverer().getParameterNames(method);
        if (names == null) {
            throw new InvalidIdempotentMethodException(
                    "The idempotent method " + MethodDescription.of(method)
                            + " has resume = true, but its parameters have no"
                            + " names at run time, by which its arguments are stored.",
                    "Compile with -parameters, or remove resume = true.");
        }
        Map<String, Type> types = new LinkedHashMap<>();
        for (int i = 0; i < names.length; i++) {
            types.put(names[i], GenericTypeResolver.resolveType(method.getGenericParameterTypes()[i], targetClass));
        }
        return Collections.unmodifiableMap(types);
    }

    private CallOptions options(Idempotent annotation, AnnotationAttributes attributes) {
        if (annotation.maxAttempts() < 0) {
            throw attributes.invalid(
                    "maxAttempts",
                    String.valueOf(annotation.maxAttempts()),
                    "It must be at least 1, or 0.",
                    "Remove it to use idempotency.retry.max-attempts.");
        }
        CallMode mode = CallMode.of(annotation.mode());
        if (!mode.commitsClaimFirst()) {
            requireNotSet(attributes, "retryLeased", annotation.retryLeased() ? "true" : "");
            requireNotSet(attributes, "resume", annotation.resume() ? "true" : "");
            requireNotSet(attributes, "lease", annotation.lease());
        }
        CallOptions defaults = retention.get().defaults();
        Duration kept = orDefault(
                retention(annotation, attributes), defaults.retention().ofKey());
        Duration waitTimeout = attributes.duration(
                "waitTimeout", annotation.waitTimeout(), own -> retention.get().requireWaitTimeout(own, kept));
        Duration lease = attributes.duration("lease", annotation.lease(), CallOptions::requireLease);
        CallOptions options = new CallOptions(
                mode,
                new CallOptions.Retention(kept, defaults.retention().ofResponse()),
                new CallOptions.Waiting(
                        annotation.onDuplicate(),
                        orDefault(waitTimeout, defaults.waiting().timeout())),
                new CallOptions.LeaseOptions(orDefault(lease, defaults.lease().duration()), annotation.retryLeased()),
                annotation.maxAttempts() == 0 ? defaults.maxAttempts() : annotation.maxAttempts(),
                List.of(),
                annotation.lossyResponse());
        options = withFinalFailures(options, annotation, attributes);
        try {
            return mode.commitsClaimFirst() ? retention.get().requireForCall(options) : options;
        } catch (IllegalArgumentException longerThanRetention) {
            throw attributes.invalid(
                    "lease",
                    annotation.lease(),
                    longerThanRetention.getMessage() + ".",
                    "Choose a shorter lease or a longer retention.");
        }
    }

    private static Duration orDefault(@Nullable Duration own, Duration byDefault) {
        return own == null ? byDefault : own;
    }

    private static CallOptions withFinalFailures(
            CallOptions options, Idempotent annotation, AnnotationAttributes attributes) {
        for (Class<? extends Throwable> failure : annotation.finalFailures()) {
            FinalFailures.findProblem(failure).ifPresent(problem -> {
                throw attributes.invalid("finalFailures", failure.getSimpleName(), problem, FinalFailures.ACTION);
            });
        }
        try {
            return options.withFinalFailures(List.of(annotation.finalFailures()));
        } catch (IllegalArgumentException optimistic) {
            throw attributes.invalid(
                    "mode",
                    annotation.mode().name(),
                    optimistic.getMessage() + ".",
                    "Remove mode = OPTIMISTIC, or remove finalFailures.");
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

    private static @Nullable ResultReference resultReference(Idempotent annotation, AnnotationAttributes attributes) {
        @Nullable String type = StringUtils.hasText(annotation.resultType()) ? annotation.resultType() : null;
        ArgumentExpression id =
                attributes.optionalExpression("resultId", annotation.resultId(), ResultReference.RESULT_VARIABLE);
        return type == null && id == null ? null : new ResultReference(type, id);
    }
}
