package io.idempotency.internal.interceptor;

import java.lang.reflect.Proxy;

import org.springframework.aop.SpringProxy;

import io.idempotency.InvalidIdempotentMethodException;

/** A proxy that the container did not create, whose interceptors would run between the claim and the method. */
final class ForeignProxy {

    private ForeignProxy() {}

    static boolean is(Object object) {
        return object instanceof SpringProxy || Proxy.isProxyClass(object.getClass());
    }

    /** Refuses an object that is a proxy before any post-processor has run. */
    static void refuse(Object bean, String beanName) {
        if (is(bean)) {
            throw new InvalidIdempotentMethodException(
                    "The bean '" + beanName
                            + "' with idempotent methods is a proxy made by hand, inside of which the claim"
                            + " cannot be placed.",
                    "Return the object itself from the bean method and let Spring make the proxy, or annotate a service"
                            + " method that calls this bean.");
        }
    }
}
