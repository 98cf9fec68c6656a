package io.idempotency.boot.web;

import java.lang.reflect.Method;
import java.util.List;

import jakarta.servlet.http.HttpServletRequest;
import org.springframework.aop.support.AopUtils;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.util.ServletRequestPathUtils;

import io.idempotency.internal.execution.FingerprintContributor;

/** The contributor of method and path of the request to the fingerprint of an idempotent handler method. */
final class HandlerRequestContributor implements FingerprintContributor {

    @Override
    public List<String> of(Method method) {
        return RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes
                        && isHandledBy(method, attributes.getRequest())
                ? List.of(attributes.getRequest().getMethod(), pathOf(attributes.getRequest()))
                : List.of();
    }

    private static boolean isHandledBy(Method method, HttpServletRequest request) {
        return request.getAttribute(HandlerMapping.BEST_MATCHING_HANDLER_ATTRIBUTE) instanceof HandlerMethod handler
                && AopUtils.getMostSpecificMethod(handler.getMethod(), method.getDeclaringClass())
                        .equals(method);
    }

    private static String pathOf(HttpServletRequest request) {
        return ServletRequestPathUtils.hasParsedRequestPath(request)
                ? ServletRequestPathUtils.getParsedRequestPath(request)
                        .pathWithinApplication()
                        .value()
                : request.getRequestURI().substring(request.getContextPath().length());
    }
}
