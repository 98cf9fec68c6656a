package io.idempotency.internal.interceptor;

import org.aopalliance.intercept.MethodInvocation;

/** The bean's own object of an invocation. */
final class InvocationTarget {

    private InvocationTarget() {}

    static Object of(MethodInvocation invocation) {
        Object target = invocation.getThis();
        if (target == null) {
            throw new IllegalStateException("An idempotent method needs an object to be called on: "
                    + invocation.getMethod() + " was called on a proxy without a target");
        }
        return target;
    }
}
