package io.idempotency.internal.interceptor;

import java.lang.reflect.Method;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.scope.ScopedObject;
import org.springframework.beans.BeansException;
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
import io.idempotency.internal.operation.OperationKind;
import io.idempotency.internal.operation.OperationRules;
import io.idempotency.internal.ownership.OwnedName;

/**
 * The post-processor that verifies, after all others, that the proxy of each idempotent bean protects its methods. All singletons
 * are verified again when they are ready, because a bean that was created too early is not processed here.
 *
 * <p>It is a {@link MergedBeanDefinitionPostProcessor} without an order because those run after all others.
 */
public final class IdempotentBeanVerifier
        implements MergedBeanDefinitionPostProcessor,
                SmartInstantiationAwareBeanPostProcessor,
                SmartInitializingSingleton,
                BeanFactoryAware {

    private final IdempotentBeans beans;

    private final DeclaredTransactions transactions;

    private final OperationRules rules;

    private final ChainVerifier verifier;

    private final Predicate<Object> isTestDouble;

    private final ScopeBeans scopeBeans = new ScopeBeans();

    private final Set<String> idempotentBeans = ConcurrentHashMap.newKeySet();

    private @Nullable ConfigurableListableBeanFactory beanFactory;

    private volatile boolean singletonsAreReady;

    /**
     * Creates the post-processor.
     *
     * @param isTestDouble whether an object replaces a bean in a test, so that it needs no protection
     * @param isElsewhere whether the transactions of a manager are certainly not on the DataSource of the idempotency
     *     tables
     */
    public IdempotentBeanVerifier(
            IdempotentOperationSource operations,
            DeclaredTransactions transactions,
            OperationRules rules,
            Predicate<Object> isTestDouble,
            Predicate<TransactionManager> isElsewhere) {
        this.rules = rules;
        this.beans = new IdempotentBeans(operations, rules);
        this.transactions = transactions;
        this.isTestDouble = isTestDouble;
        this.verifier = new ChainVerifier(transactions, rules, new TransactionManagerVerifier(isElsewhere));
    }

    /** {@return how many methods of a kind are idempotent, of the beans that have been created so far} */
    public long count(OperationKind kind) {
        return beans.count(kind);
    }

    /** {@return the scopes and consumers of all idempotent methods that have been found so far} */
    public Stream<OwnedName> names() {
        return beans.names();
    }

    @Override
    public void setBeanFactory(BeanFactory owner) {
        this.beanFactory = (ConfigurableListableBeanFactory) owner;
    }

    @Override
    public void postProcessMergedBeanDefinition(RootBeanDefinition beanDefinition, Class<?> beanType, String beanName) {
        Map<Method, IdempotentOperation> operations = operationsOf(beanType);
        operations
                .values()
                .forEach(operation -> ContainerCallbacks.refuse(operation, beanDefinition, beanType, beanName));
        if (!operations.isEmpty() && !FactoryBean.class.isAssignableFrom(beanType)) {
            idempotentBeans.add(beanName);
        }
    }

    /** Finds the methods of a class; if it has a mistake, the report also has those of all classes whose beans follow. */
    private Map<Method, IdempotentOperation> operationsOf(Class<?> beanType) {
        Mistakes mistakes = new Mistakes();
        Map<Method, IdempotentOperation> found = mistakes.read(() -> beans.operationsOf(beanType));
        if (found != null) {
            return found;
        }
        ConfigurableListableBeanFactory factory = Objects.requireNonNull(beanFactory);
        for (String other : factory.getBeanNamesForType(Object.class, true, false)) {
            Class<?> type = factory.getType(other, false);
            if (type != null) {
                mistakes.check(() -> beans.operationsOf(type));
            }
        }
        if (!singletonsAreReady) {
            checkOtherParts(factory, mistakes);
        }
        mistakes.report();
        return Map.of();
    }

    private void checkOtherParts(ConfigurableListableBeanFactory factory, Mistakes mistakes) {
        for (String part : factory.getBeanNamesForType(StartupChecks.class, true, false)) {
            try {
                factory.getBean(part, StartupChecks.class).checks().forEach(mistakes::check);
            } catch (BeansException failure) {
                // Before all singletons exist, a part may need the bean that has the mistake.
                if (singletonsAreReady) {
                    throw failure;
                }
            }
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
     * Refuses circular references: the other bean of the circle would now get a proxy that is not verified yet.
     */
    @Override
    public Object getEarlyBeanReference(Object bean, String beanName) {
        if (!beans.operationsOf(bean).isEmpty()) {
            throw new InvalidIdempotentMethodException(
                    "The bean '" + beanName + "' with idempotent methods is part of a circular reference: another bean"
                            + " needs it while it is being created, and would call it unprotected.",
                    "Break the circular reference, or put @Lazy where the other bean has it injected.");
        }
        return bean;
    }

    /** Skips scoped proxies: the bean that such a proxy finds has a proxy of its own. */
    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof ScopedObject) {
            return bean;
        }
        if (beans.operationsOf(bean).isEmpty()) {
            requireNotReplaced(beanName);
            return bean;
        }
        verify(bean, beanName);
        return bean;
    }

    /**
     * Refuses an object by which another post-processor replaced the bean, because it may call the bean without the
     * claim.
     */
    private void requireNotReplaced(String beanName) {
        if (idempotentBeans.contains(beanName)) {
            throw ChainVerifier.notAdvisable(beanName);
        }
    }

    @Override
    public void afterSingletonsInstantiated() {
        singletonsAreReady = true;
        ConfigurableListableBeanFactory singletons = Objects.requireNonNull(beanFactory);
        transactions.requireAllKnown(singletons);
        Mistakes mistakes = new Mistakes();
        for (String beanName : singletons.getSingletonNames()) {
            Object bean = singletons.getSingleton(beanName);
            if (bean instanceof FactoryBean<?> factory && makesIdempotentSingleton(factory)) {
                verifyUnlessTestDouble(singletons.getBean(beanName), beanName, mistakes);
            }
            if (bean != null) {
                verifyUnlessTestDouble(bean, beanName, mistakes);
            }
        }
        for (String beanName : singletons.getBeanNamesForType(Object.class, true, false)) {
            Class<?> type = singletons.containsSingleton(beanName) ? null : singletons.getType(beanName, false);
            if (type != null) {
                mistakes.check(() -> beans.operationsOf(type)
                        .values()
                        .forEach(operation -> mistakes.check(() -> scopeBeans.require(operation, beanName))));
            }
        }
        checkOtherParts(singletons, mistakes);
        mistakes.report();
    }

    /**
     * Returns whether a factory makes an idempotent singleton, which may not exist yet and would be verified too late.
     */
    private boolean makesIdempotentSingleton(FactoryBean<?> factory) {
        Class<?> type = factory.isSingleton() ? factory.getObjectType() : null;
        return type != null && !beans.operationsOf(type).isEmpty();
    }

    private void verifyUnlessTestDouble(Object bean, String beanName, Mistakes mistakes) {
        if (!(bean instanceof ScopedObject) && !isTestDouble.test(bean)) {
            mistakes.check(() -> verify(bean, beanName, mistakes));
        }
    }

    private void verify(Object bean, String beanName) {
        Mistakes mistakes = new Mistakes();
        verify(bean, beanName, mistakes);
        mistakes.report();
    }

    private void verify(Object bean, String beanName, Mistakes mistakes) {
        Map<Method, IdempotentOperation> operations = beans.operationsOf(bean);
        verifier.verify(bean, beanName, operations, Objects.requireNonNull(beanFactory), singletonsAreReady);
        if (singletonsAreReady) {
            // Not earlier: codecs are beans too, and may need others that are still being created.
            for (IdempotentOperation operation : operations.values()) {
                mistakes.check(() -> rules.checkStored(operation));
                mistakes.check(() -> requireToBeTheOnlyBean(operation, beanName));
            }
        }
    }

    /** Leaves out objects that are made with the container, but are no beans. */
    private void requireToBeTheOnlyBean(IdempotentOperation operation, String beanName) {
        requireNotDecorating(operation, beanName);
        if (Objects.requireNonNull(beanFactory).containsBean(beanName)) {
            scopeBeans.require(operation, beanName);
        }
    }

    /**
     * Refuses a bean that has another implementation of its method injected: if it calls that with its own key, each call would wait
     * for itself.
     */
    private void requireNotDecorating(IdempotentOperation operation, String beanName) {
        ConfigurableListableBeanFactory factory = Objects.requireNonNull(beanFactory);
        for (String injected : factory.getDependenciesForBean(beanName)) {
            Class<?> type =
                    injected.equals(beanName) ? null : IdempotentBeans.findType(factory, injected, isTestDouble);
            if (type != null) {
                beans.operationsOf(type).values().stream()
                        .filter(operation::isOfSameAnnotation)
                        .findFirst()
                        .ifPresent(other -> {
                            throw new InvalidIdempotentMethodException(
                                    "The bean '" + beanName + "' has the idempotent method " + operation.describe()
                                            + " and gets the bean '" + injected + "' injected, which has "
                                            + other.describe() + " with the same " + operation.annotation()
                                            + " '" + operation.scope()
                                            + "': calling it with the same key would fail each time with"
                                            + " ReentrantCallException.",
                                    "Annotate the method in the class of the bean that is called from outside, instead of in"
                                            + " the type that both have in common. If the bean never calls that method with"
                                            + " its own key, let it have an ObjectProvider of the other injected.");
                        });
            }
        }
    }
}
