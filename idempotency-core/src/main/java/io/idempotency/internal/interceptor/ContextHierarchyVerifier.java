package io.idempotency.internal.interceptor;

import java.lang.reflect.Method;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.MethodIntrospector.MetadataLookup;

import io.idempotency.InvalidIdempotentMethodException;
import io.idempotency.internal.operation.IdempotentOperation;
import io.idempotency.internal.operation.IdempotentOperationSource;

/**
 * The check of the parents and the children of the context. Post-processors work in their own context only, so that
 * idempotent methods in a context without them would run unprotected. A child tells its parent when it is refreshed, and
 * an exception ends its start.
 */
public final class ContextHierarchyVerifier
        implements ApplicationListener<ContextRefreshedEvent>, SmartInitializingSingleton, BeanFactoryAware {

    private final IdempotentOperationSource operations;

    private final Predicate<Object> isTestDouble;

    private @Nullable ConfigurableListableBeanFactory ownBeans;

    /**
     * Creates the check.
     *
     * @param isTestDouble whether an object replaces a bean in a test, so that it needs no protection
     */
    public ContextHierarchyVerifier(IdempotentOperationSource operations, Predicate<Object> isTestDouble) {
        this.operations = operations;
        this.isTestDouble = isTestDouble;
    }

    @Override
    public void setBeanFactory(BeanFactory owner) {
        this.ownBeans = (ConfigurableListableBeanFactory) owner;
    }

    @Override
    public void afterSingletonsInstantiated() {
        BeanFactory parent = Objects.requireNonNull(ownBeans).getParentBeanFactory();
        while (parent instanceof ConfigurableListableBeanFactory beans) {
            if (!isProtected(beans)) {
                verifyAll(beans);
            }
            parent = beans.getParentBeanFactory();
        }
    }

    /** Beans of a child whose type is not known before they are created are verified then. */
    @Override
    public void onApplicationEvent(ContextRefreshedEvent refreshed) {
        if (refreshed.getApplicationContext() instanceof ConfigurableApplicationContext child
                && !isProtected(child.getBeanFactory())) {
            child.getBeanFactory().addBeanPostProcessor(new BeanPostProcessor() {
                @Override
                public Object postProcessAfterInitialization(Object bean, String beanName) {
                    verify(bean, beanName);
                    return bean;
                }
            });
            verifyAll(child.getBeanFactory());
        }
    }

    /** On another thread an exception would not end the start of the child. */
    @Override
    public boolean supportsAsyncExecution() {
        return false;
    }

    private static boolean isProtected(ConfigurableListableBeanFactory beans) {
        return beans.getBeanNamesForType(IdempotentBeanVerifier.class, false, false).length > 0;
    }

    private void verifyAll(ConfigurableListableBeanFactory beans) {
        for (String beanName : beans.getBeanNamesForType(Object.class, true, false)) {
            Class<?> type = IdempotentBeans.findType(beans, beanName, isTestDouble);
            if (type != null) {
                verify(type, beanName);
            }
        }
    }

    private void verify(Object bean, String beanName) {
        if (!isTestDouble.test(bean)) {
            verify(AopProxyUtils.ultimateTargetClass(bean), beanName);
        }
    }

    private void verify(Class<?> type, String beanName) {
        MetadataLookup<@Nullable IdempotentOperation> lookup = method -> operations.findOperation(method, type);
        Map<Method, IdempotentOperation> found =
                operations.isCandidateClass(type) ? MethodIntrospector.selectMethods(type, lookup) : Map.of();
        found.values().stream().findFirst().ifPresent(operation -> {
            throw new InvalidIdempotentMethodException(
                    "The bean '" + beanName + "' has the idempotent method " + operation.describe()
                            + ", but it would run unprotected, because the library is configured in a parent or a child"
                            + " of the bean's context, and the post-processors of another context do not process the"
                            + " bean.",
                    "Define the bean in the context that has the library's auto-configuration, or give the bean's"
                            + " context that auto-configuration too, with @EnableAutoConfiguration or"
                            + " @ImportAutoConfiguration(IdempotencyAutoConfiguration.class).");
        });
    }
}
