package io.idempotency.internal.interceptor;

import java.lang.reflect.Method;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.scope.ScopedObject;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.SmartInstantiationAwareBeanPostProcessor;
import org.springframework.beans.factory.support.MergedBeanDefinitionPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.transaction.TransactionManager;

import io.idempotency.InvalidIdempotentMethodException;
import io.idempotency.internal.operation.IdempotentOperation;
import io.idempotency.internal.operation.IdempotentOperationSource;
import io.idempotency.internal.operation.OperationRules;

/**
 * Puts the advisors of idempotent beans in order after every other post-processor has added its own, and verifies the
 * result; once more for all singletons when they are ready, because a bean that was created too early never came here.
 *
 * <p>It is a {@link MergedBeanDefinitionPostProcessor} without an order because those run after all others.
 */
public final class LateIdempotentChainPostProcessor
        implements MergedBeanDefinitionPostProcessor,
                SmartInstantiationAwareBeanPostProcessor,
                SmartInitializingSingleton,
                BeanFactoryAware {

    private final IdempotentBeans beans;

    private final IdempotentAdvisors advisors;

    private final OperationRules rules;

    private final ChainVerifier verifier;

    private final Predicate<Object> isTestDouble;

    private final Set<String> idempotentBeans = ConcurrentHashMap.newKeySet();

    private @Nullable ConfigurableListableBeanFactory beanFactory;

    private volatile boolean singletonsAreReady;

    /**
     * Creates the post-processor.
     *
     * @param operations knows the idempotent methods
     * @param advisors are put in order
     * @param rules what every idempotent method must keep
     * @param isTestDouble whether an object stands in for a bean in a test, so that it has nothing to protect
     * @param isElsewhere whether the transactions of a manager are certainly not on the DataSource of the idempotency tables
     */
    public LateIdempotentChainPostProcessor(
            IdempotentOperationSource operations,
            IdempotentAdvisors advisors,
            OperationRules rules,
            Predicate<Object> isTestDouble,
            Predicate<TransactionManager> isElsewhere) {
        this.rules = rules;
        this.beans = new IdempotentBeans(operations, rules);
        this.advisors = advisors;
        this.isTestDouble = isTestDouble;
        this.verifier = new ChainVerifier(advisors, rules, new TransactionManagerVerifier(isElsewhere));
    }

    @Override
    public void setBeanFactory(BeanFactory owner) {
        this.beanFactory = (ConfigurableListableBeanFactory) owner;
    }

    @Override
    public void postProcessMergedBeanDefinition(RootBeanDefinition beanDefinition, Class<?> beanType, String beanName) {
        Map<Method, IdempotentOperation> operations = beans.operationsOf(beanType);
        operations
                .values()
                .forEach(operation -> ContainerCallbacks.refuse(operation, beanDefinition, beanType, beanName));
        if (!operations.isEmpty() && !FactoryBean.class.isAssignableFrom(beanType)) {
            idempotentBeans.add(beanName);
        }
    }

    @Override
    public Object postProcessBeforeInitialization(Object bean, String beanName) {
        if (!beans.operationsOf(bean).isEmpty()) {
            ForeignProxy.refuse(bean, beanName);
        }
        return bean;
    }

    /**
     * Refuses circular references: what the other bean of the circle would be given now is not in order yet, and is
     * another object than the bean in the end.
     */
    @Override
    public Object getEarlyBeanReference(Object bean, String beanName) {
        if (!beans.operationsOf(bean).isEmpty()) {
            throw new InvalidIdempotentMethodException(
                    "The bean '" + beanName + "' with idempotent methods is in a circle of references: another bean"
                            + " needs it while it is being created, and would call it unprotected.",
                    "Break the circle, or put @Lazy where the other bean has it injected.");
        }
        return bean;
    }

    /** A scoped proxy only finds the bean that it stands for, which has a proxy of its own. */
    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof ScopedObject) {
            return bean;
        }
        if (beans.operationsOf(bean).isEmpty()) {
            requireNothingHidden(beanName);
            return bean;
        }
        if (bean instanceof Advised proxy && !proxy.isFrozen()) {
            advisors.place(proxy);
        }
        verify(bean, beanName);
        return bean;
    }

    /** What another post-processor put in the place of the bean may call it past the claim. */
    private void requireNothingHidden(String beanName) {
        if (idempotentBeans.contains(beanName)) {
            throw ChainVerifier.notAdvisable(beanName);
        }
    }

    @Override
    public void afterSingletonsInstantiated() {
        singletonsAreReady = true;
        ConfigurableListableBeanFactory singletons = Objects.requireNonNull(beanFactory);
        for (String beanName : singletons.getSingletonNames()) {
            Object bean = singletons.getSingleton(beanName);
            if (bean instanceof FactoryBean<?> factory && makesIdempotentSingleton(factory)) {
                verifyUnlessStandIn(singletons.getBean(beanName), beanName);
            }
            if (bean != null) {
                verifyUnlessStandIn(bean, beanName);
            }
        }
    }

    /** Such a product may not exist yet, and then would be refused only when somebody asks for it. */
    private boolean makesIdempotentSingleton(FactoryBean<?> factory) {
        Class<?> type = factory.isSingleton() ? factory.getObjectType() : null;
        return type != null && !beans.operationsOf(type).isEmpty();
    }

    private void verifyUnlessStandIn(Object bean, String beanName) {
        if (!(bean instanceof ScopedObject) && !isTestDouble.test(bean)) {
            verify(bean, beanName);
        }
    }

    private void verify(Object bean, String beanName) {
        Map<Method, IdempotentOperation> operations = beans.operationsOf(bean);
        verifier.verify(bean, beanName, operations, Objects.requireNonNull(beanFactory), singletonsAreReady);
        if (singletonsAreReady) {
            // Not before: codecs are beans too, and may need others that are still being created.
            operations.values().forEach(rules::checkResponse);
        }
    }
}
