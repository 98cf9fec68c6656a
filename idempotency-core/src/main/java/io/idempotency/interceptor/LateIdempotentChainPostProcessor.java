package io.idempotency.interceptor;

import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.MergedBeanDefinitionPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;

import io.idempotency.operation.IdempotentOperationSource;
import io.idempotency.operation.OperationRules;

/**
 * Puts the advisors of idempotent beans in order after every other post-processor has added its own, and verifies the
 * result; once more for all singletons when they are ready, because a bean that was created too early never came here.
 *
 * <p>It is a {@link MergedBeanDefinitionPostProcessor} without an order because those run after all others.
 */
public final class LateIdempotentChainPostProcessor
        implements MergedBeanDefinitionPostProcessor, SmartInitializingSingleton, BeanFactoryAware {

    private final IdempotentBeans beans;

    private final IdempotentAdvisors advisors;

    private final ChainVerifier verifier;

    private @Nullable ConfigurableListableBeanFactory beanFactory;

    /**
     * Creates the post-processor.
     *
     * @param operations knows the idempotent methods
     * @param advisors are put in order
     */
    public LateIdempotentChainPostProcessor(IdempotentOperationSource operations, IdempotentAdvisors advisors) {
        OperationRules rules = new OperationRules();
        this.beans = new IdempotentBeans(operations, rules);
        this.advisors = advisors;
        this.verifier = new ChainVerifier(advisors, rules);
    }

    @Override
    public void setBeanFactory(BeanFactory owner) {
        this.beanFactory = (ConfigurableListableBeanFactory) owner;
    }

    @Override
    public void postProcessMergedBeanDefinition(RootBeanDefinition beanDefinition, Class<?> beanType, String beanName) {
        beans.operationsOf(beanType);
    }

    @Override
    public Object postProcessBeforeInitialization(Object bean, String beanName) {
        if (!beans.operationsOf(bean).isEmpty()) {
            HandMadeProxy.refuse(bean, beanName);
        }
        return bean;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof AopInfrastructureBean || beans.operationsOf(bean).isEmpty()) {
            return bean;
        }
        if (bean instanceof Advised proxy && !proxy.isFrozen()) {
            advisors.place(proxy);
        }
        verify(bean, beanName);
        return bean;
    }

    @Override
    public void afterSingletonsInstantiated() {
        ConfigurableListableBeanFactory singletons = Objects.requireNonNull(beanFactory);
        for (String beanName : singletons.getSingletonNames()) {
            Object bean = singletons.getSingleton(beanName);
            if (bean != null && !(bean instanceof AopInfrastructureBean)) {
                verify(bean, beanName);
            }
        }
    }

    private void verify(Object bean, String beanName) {
        verifier.verify(bean, beanName, beans.operationsOf(bean), Objects.requireNonNull(beanFactory));
    }
}
