package io.idempotency.boot.security;

import java.util.Arrays;
import java.util.List;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.ApplicationContext;
import org.springframework.util.ClassUtils;

import io.idempotency.CallerResolver;
import io.idempotency.IdempotencyStartupException;

/**
 * The check that principals are not only in Reactor's context. The thread that makes a call would not know them, so all
 * users would share their keys.
 */
final class ReactiveSecurityCheck implements SmartInitializingSingleton {

    /** Types of the beans of Spring Security that authenticate for WebFlux and for RSocket. */
    private static final List<String> REACTIVE_SECURITY = List.of(
            "org.springframework.security.web.server.SecurityWebFilterChain",
            "org.springframework.security.rsocket.core.PayloadSocketAcceptorInterceptor",
            "org.springframework.security.rsocket.core.SecuritySocketAcceptorInterceptor");

    private final ApplicationContext application;

    private final ObjectProvider<CallerResolver> callerResolver;

    ReactiveSecurityCheck(ApplicationContext application, ObjectProvider<CallerResolver> callerResolver) {
        this.application = application;
        this.callerResolver = callerResolver;
    }

    @Override
    public void afterSingletonsInstantiated() {
        if (callerResolver.getIfAvailable() instanceof PrincipalCallerResolver) {
            REACTIVE_SECURITY.stream()
                    .flatMap(type -> Arrays.stream(beanNames(type)))
                    .findFirst()
                    .ifPresent(ReactiveSecurityCheck::refuse);
        }
    }

    private String[] beanNames(String typeName) {
        ClassLoader classLoader = application.getClassLoader();
        return ClassUtils.isPresent(typeName, classLoader)
                ? application.getBeanNamesForType(ClassUtils.resolveClassName(typeName, classLoader), true, false)
                : new String[0];
    }

    private static void refuse(String beanName) {
        throw new IdempotencyStartupException(
                "Idempotency keys cannot be distinguished by their users: Spring Security is reactive here (the bean '"
                        + beanName + "'), and the thread that makes a call does not know its principal, so that all"
                        + " users would share their keys and responses.",
                "Define a CallerResolver bean that knows the caller on that thread, or set idempotency.http.caller=none and"
                        + " name the caller of each call with IdempotencyOperations.");
    }
}
