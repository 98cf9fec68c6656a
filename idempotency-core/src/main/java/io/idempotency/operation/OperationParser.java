package io.idempotency.operation;

import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;
import org.springframework.core.GenericTypeResolver;
import org.springframework.format.annotation.DurationFormat;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.util.StringUtils;
import org.springframework.util.StringValueResolver;

import io.idempotency.IdempotencyMode;
import io.idempotency.Idempotent;
import io.idempotency.Intent;
import io.idempotency.InvalidIdempotentMethodException;

/** Makes an operation of an annotation, or says what is wrong with it. */
final class OperationParser {

    /** What a resolver leaves behind that is not strict. */
    private static final String PLACEHOLDER = "${";

    private final StringValueResolver placeholders;

    OperationParser(StringValueResolver placeholders) {
        this.placeholders = placeholders;
    }

    IdempotentOperation parse(Idempotent annotation, Method method, Class<?> targetClass) {
        return new IdempotentOperation(
                method,
                scope(annotation, method),
                ArgumentExpression.parse("key", required("key", annotation.key(), method), method),
                fingerprint(annotation, method),
                terms(annotation, method),
                responseType(method, targetClass),
                resultReference(annotation, method));
    }

    private String scope(Idempotent annotation, Method method) {
        String scope = resolve("scope", required("scope", annotation.scope(), method), method);
        try {
            return Intent.requireScope(scope);
        } catch (IllegalArgumentException malformed) {
            throw invalid("scope", scope, method, malformed.getMessage() + ".");
        }
    }

    private static @Nullable ArgumentExpression fingerprint(Idempotent annotation, Method method) {
        return StringUtils.hasText(annotation.fingerprint())
                ? ArgumentExpression.parse("fingerprint", annotation.fingerprint(), method)
                : null;
    }

    private CallTerms terms(Idempotent annotation, Method method) {
        if (annotation.maxAttempts() < 0) {
            throw invalid(
                    "maxAttempts", String.valueOf(annotation.maxAttempts()), method, "It must be at least 1, or 0.");
        }
        if (annotation.mode() != IdempotencyMode.LEASED
                && (annotation.retryLeased() || !annotation.lease().isEmpty())) {
            throw invalid(
                    annotation.retryLeased() ? "retryLeased" : "lease",
                    annotation.retryLeased() ? "true" : annotation.lease(),
                    method,
                    "It has a meaning only with mode = LEASED.");
        }
        return new CallTerms(
                duration("retention", annotation.retention(), method, CallTerms::requireRetention),
                annotation.onDuplicate(),
                duration("waitTimeout", annotation.waitTimeout(), method, CallTerms::requireWaitTimeout),
                annotation.mode(),
                duration("lease", annotation.lease(), method, CallTerms::requireLease),
                annotation.retryLeased(),
                annotation.maxAttempts(),
                List.of(annotation.finalFailures()));
    }

    private @Nullable Duration duration(
            String attribute, String text, Method method, UnaryOperator<Duration> rangeCheck) {
        String resolved = resolve(attribute, text, method);
        if (!StringUtils.hasText(resolved)) {
            return null;
        }
        Duration duration;
        try {
            duration = DurationFormatterUtils.detectAndParse(resolved, DurationFormat.Unit.MILLIS);
        } catch (IllegalArgumentException malformed) {
            throw invalid(attribute, resolved, method, "It is not a duration such as 5s, 7d or PT5S.");
        }
        try {
            return rangeCheck.apply(duration);
        } catch (IllegalArgumentException outOfRange) {
            throw invalid(attribute, resolved, method, outOfRange.getMessage() + ".");
        }
    }

    private static Type responseType(Method method, Class<?> targetClass) {
        return GenericTypeResolver.resolveType(method.getGenericReturnType(), targetClass);
    }

    private static ResultReference resultReference(Idempotent annotation, Method method) {
        return new ResultReference(
                StringUtils.hasText(annotation.resultType()) ? annotation.resultType() : null,
                StringUtils.hasText(annotation.resultId())
                        ? ArgumentExpression.parse(
                                "resultId", annotation.resultId(), method, ResultReference.RESULT_VARIABLE)
                        : null);
    }

    private String resolve(String attribute, String text, Method method) {
        try {
            String resolved = placeholders.resolveStringValue(text);
            if (resolved != null && resolved.contains(PLACEHOLDER)) {
                throw invalid(attribute, text, method, "No property gives it a value: '" + resolved + "'.");
            }
            return resolved == null ? "" : resolved;
        } catch (IllegalArgumentException unresolvable) {
            throw invalid(attribute, text, method, unresolvable.getMessage() + ".");
        }
    }

    private static String required(String attribute, String text, Method method) {
        if (!StringUtils.hasText(text)) {
            throw invalid(attribute, text, method, "It is required.");
        }
        return text;
    }

    private static InvalidIdempotentMethodException invalid(
            String attribute, String text, Method method, String reason) {
        return new InvalidIdempotentMethodException(
                "The " + attribute + " '" + text + "' of @Idempotent on " + MethodDescription.of(method)
                        + " is not valid. " + reason,
                "Correct the annotation.");
    }
}
