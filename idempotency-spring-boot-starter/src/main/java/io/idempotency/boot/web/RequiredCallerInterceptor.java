package io.idempotency.boot.web;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.web.servlet.HandlerInterceptor;

import io.idempotency.CallerResolver;
import io.idempotency.IdempotencyStartupException;
import io.idempotency.MissingCallerException;

/** The interceptor that refuses keys of requests without a caller: clients would share their keys. */
final class RequiredCallerInterceptor implements HandlerInterceptor, SmartInitializingSingleton {

    private final ObjectProvider<CallerResolver> callerResolver;

    RequiredCallerInterceptor(ObjectProvider<CallerResolver> callerResolver) {
        this.callerResolver = callerResolver;
    }

    @Override
    public void afterSingletonsInstantiated() {
        if (callerResolver.getIfAvailable() == null) {
            throw new IdempotencyStartupException(
                    "idempotency.http.require-caller is set, but there is no CallerResolver, so that every request would be"
                            + " refused.",
                    "Define a CallerResolver bean, or use Spring Security with idempotency.http.caller=principal.");
        }
    }

    /** Asks once a request: what sets the caller may not run again for the dispatch with the result of asynchronous work. */
    @Override
    public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
        if (request.getDispatcherType() != DispatcherType.ASYNC
                && KeyHeaderParameters.ofRequest(request, handler) != null
                && callerResolver.getObject().resolveCaller().isEmpty()) {
            throw new MissingCallerException("The request has no caller, but idempotency.http.require-caller is set:"
                    + " authenticate the request, or let the CallerResolver return its caller");
        }
        return true;
    }
}
