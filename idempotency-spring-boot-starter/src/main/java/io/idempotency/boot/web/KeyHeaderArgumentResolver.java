package io.idempotency.boot.web;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.ModelAndViewContainer;

import io.idempotency.IdempotencyKey;

/** The resolver of parameters of controller methods to the key that the interceptor has checked. */
final class KeyHeaderArgumentResolver implements HandlerMethodArgumentResolver {

    private final KeyHeader header;

    KeyHeaderArgumentResolver(KeyHeader header) {
        this.header = header;
    }

    @Override
    public boolean supportsParameter(MethodParameter parameter) {
        return KeyHeaderParameters.isKeyParameter(parameter);
    }

    @Override
    public @Nullable Object resolveArgument(
            MethodParameter parameter,
            @Nullable ModelAndViewContainer container,
            NativeWebRequest webRequest,
            @Nullable WebDataBinderFactory binderFactory) {
        HttpServletRequest request = webRequest.getNativeRequest(HttpServletRequest.class);
        if (request == null || KeyHeader.isIgnoredFor(request.getMethod())) {
            return null;
        }
        IdempotencyKey key = header.of(request);
        if (key == null && KeyHeaderParameters.isRequired(parameter)) {
            throw header.missing();
        }
        return key != null && parameter.getParameterType() == String.class ? key.value() : key;
    }
}
