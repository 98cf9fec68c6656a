package io.idempotency.boot.web;

import java.util.Arrays;
import java.util.stream.Stream;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.web.method.HandlerMethod;

import io.idempotency.IdempotencyKey;

/** The parameters of controller methods that take the key of the request. */
final class KeyHeaderParameters {

    private KeyHeaderParameters() {}

    /**
     * Returns the parameter that takes the key of this request; {@code null} if there is none or the key is ignored.
     */
    static @Nullable MethodParameter ofRequest(HttpServletRequest request, Object handler) {
        return handler instanceof HandlerMethod method && !KeyHeader.isIgnoredFor(request.getMethod())
                ? find(method)
                : null;
    }

    /** Returns the only parameter: a method with several is refused at start-up. */
    private static @Nullable MethodParameter find(HandlerMethod handler) {
        return all(handler).findFirst().orElse(null);
    }

    static Stream<MethodParameter> all(HandlerMethod handler) {
        return Arrays.stream(handler.getMethodParameters()).filter(KeyHeaderParameters::isKeyParameter);
    }

    static boolean isKeyParameter(MethodParameter parameter) {
        return parameter.hasParameterAnnotation(IdempotencyKeyHeader.class);
    }

    static boolean isRequired(MethodParameter parameter) {
        IdempotencyKeyHeader annotation = parameter.getParameterAnnotation(IdempotencyKeyHeader.class);
        return annotation != null && annotation.required();
    }

    static boolean hasSupportedType(MethodParameter parameter) {
        return parameter.getParameterType() == String.class || parameter.getParameterType() == IdempotencyKey.class;
    }
}
