package io.idempotency.internal.interceptor;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.Aware;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.util.ClassUtils;

import io.idempotency.InvalidIdempotentMethodException;
import io.idempotency.internal.operation.IdempotentOperation;

/** The methods that the container calls on the bean's own object, without its proxy. */
final class ContainerCallbacks {

    private static final Set<String> INFERRED = Set.of("close", "shutdown");

    private ContainerCallbacks() {}

    /**
     * Refuses an idempotent method that is a callback. Other post-processors have registered theirs in the definition
     * before.
     */
    static void refuse(IdempotentOperation operation, RootBeanDefinition definition, Class<?> type, String beanName) {
        Method method = operation.method();
        if (definition.isExternallyManagedConfigMember(method)
                || (method.getParameterCount() == 0
                        && (isInitMethod(method.getName(), definition, type)
                                || isDestroyMethod(method.getName(), definition, type)))
                || isOfAware(method, type)) {
            throw new InvalidIdempotentMethodException(
                    "The idempotent method " + operation.describe() + " of the bean '" + beanName
                            + "' is called by the container when it makes or destroys the bean (@PostConstruct,"
                            + " @PreDestroy, @Autowired, InitializingBean or the like). It calls the bean's own object,"
                            + " so that the method would run unprotected.",
                    "Use @EventListener(ContextRefreshedEvent.class), SmartInitializingSingleton or SmartLifecycle in its"
                            + " place, which call through the proxy, or let another bean call the method.");
        }
    }

    private static boolean isInitMethod(String name, RootBeanDefinition definition, Class<?> type) {
        return definition.isExternallyManagedInitMethod(name)
                || contains(definition.getInitMethodNames(), name)
                || (InitializingBean.class.isAssignableFrom(type) && name.equals("afterPropertiesSet"));
    }

    private static boolean isDestroyMethod(String name, RootBeanDefinition definition, Class<?> type) {
        return definition.isExternallyManagedDestroyMethod(name)
                || contains(definition.getDestroyMethodNames(), name)
                || (contains(definition.getDestroyMethodNames(), AbstractBeanDefinition.INFER_METHOD)
                        && INFERRED.contains(name))
                || (DisposableBean.class.isAssignableFrom(type) && name.equals("destroy"))
                || (AutoCloseable.class.isAssignableFrom(type) && name.equals("close"));
    }

    private static boolean isOfAware(Method method, Class<?> type) {
        return Aware.class.isAssignableFrom(
                ClassUtils.getInterfaceMethodIfPossible(method, type).getDeclaringClass());
    }

    private static boolean contains(String @Nullable [] names, String name) {
        return names != null && Arrays.asList(names).contains(name);
    }
}
