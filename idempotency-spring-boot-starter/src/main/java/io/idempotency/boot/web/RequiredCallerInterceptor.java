package io.idempotency.boot.web;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.web.servlet.HandlerInterceptor;

import io.idempotency.CallerResolver;
import io.idempotency.IdempotencyStartupException;
import io.idempotency.MissingCallerException;

/** Refuses requests without a caller to methods that take a key: otherwise all clients would share their keys. */
final class RequiredCallerInterceptor implements HandlerInterceptor, SmartInitializingSingleton {

    private final ObjectProvider<CallerResolver> callerResolver;

    RequiredCallerInterceptor(ObjectProvider<CallerResolver> callerResolver) {
        this.callerResolver = callerResolver;
    }

    @Override
    public void afterSingletonsInstantiated() {
        if (callerResolver.getIfAvailable() == null) {
            throw new IdempotencyStartupException(
                    "idempotency.http.require-caller is set, but nothing tells who calls, so that every request would be"
                            + " refused.",
                    "Define a CallerResolver bean, or use Spring Security with idempotency.http.caller=principal.");
        }
    }

    @Override
    public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
        if (KeyHeaderParameters.ofRequest(request, handler) != null
                && callerResolver.getObject().resolveCaller().isEmpty()) {
            throw new MissingCallerException("The request has no caller, but idempotency.http.require-caller is set:"
                    + " authenticate the request, or let the CallerResolver know who it is from");
        }
        return true;
    }
}
