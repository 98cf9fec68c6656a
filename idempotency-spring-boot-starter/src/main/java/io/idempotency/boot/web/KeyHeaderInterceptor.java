package io.idempotency.boot.web;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.core.MethodParameter;
import org.springframework.web.servlet.HandlerInterceptor;

/** The interceptor that refuses requests without a valid key before their body is read. */
final class KeyHeaderInterceptor implements HandlerInterceptor {

    private final KeyHeader header;

    KeyHeaderInterceptor(KeyHeader header) {
        this.header = header;
    }

    @Override
    public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
        MethodParameter parameter = KeyHeaderParameters.ofRequest(request, handler);
        if (parameter != null && header.of(request) == null && KeyHeaderParameters.isRequired(parameter)) {
            throw header.missing();
        }
        return true;
    }
}
