package io.idempotency.boot.chain;

import java.lang.reflect.Method;
import java.util.List;

import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.DefaultAdvisorChainFactory;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;

/** The interceptors that a call through a proxy meets, by the simple names of their classes, the outermost first. */
final class InterceptorChain {

    static final String IDEMPOTENT = "IdempotentInterceptor";

    private InterceptorChain() {}

    /** Of the method {@code pay}, without Spring's own helper for aspects. */
    static List<String> of(Object proxy) {
        Class<?> targetClass = AopProxyUtils.ultimateTargetClass(proxy);
        return DefaultAdvisorChainFactory.INSTANCE
                .getInterceptorsAndDynamicInterceptionAdvice((Advised) proxy, pay(targetClass), targetClass)
                .stream()
                .filter(interceptor -> !(interceptor instanceof ExposeInvocationInterceptor))
                .map(interceptor -> interceptor.getClass().getSimpleName())
                .toList();
    }

    private static Method pay(Class<?> type) {
        try {
            return type.getMethod("pay", String.class);
        } catch (NoSuchMethodException missing) {
            throw new IllegalArgumentException(missing);
        }
    }
}
