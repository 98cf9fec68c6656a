package io.idempotency.internal.interceptor;

import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.transaction.interceptor.BeanFactoryTransactionAttributeSourceAdvisor;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.interceptor.TransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionInterceptor;

import io.idempotency.InvalidIdempotentMethodException;
import io.idempotency.internal.operation.IdempotentOperationSource;

/**
 * The transactions that idempotent methods declare with {@code @Transactional}. Spring's advisor for these is told to leave idempotent
 * methods alone, because {@link IdempotentInterceptor} opens the transactions of those, with Spring's interceptor.
 */
public final class DeclaredTransactions implements BeanPostProcessor, PriorityOrdered {

    private final IdempotentOperationSource operations;

    private final List<BeanFactoryTransactionAttributeSourceAdvisor> advisors = new CopyOnWriteArrayList<>();

    private volatile boolean areAllKnown;

    public DeclaredTransactions(IdempotentOperationSource operations) {
        this.operations = operations;
    }

    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof BeanFactoryTransactionAttributeSourceAdvisor advisor) {
            advisor.setTransactionAttributeSource(new OfOtherMethods(advisor));
            advisors.add(advisor);
        }
        return bean;
    }

    /** Throws if an advisor was created before this post-processor, so that it opens transactions of idempotent methods. */
    void requireAllKnown(ListableBeanFactory beanFactory) {
        beanFactory
                .getBeansOfType(BeanFactoryTransactionAttributeSourceAdvisor.class)
                .forEach((name, advisor) -> {
                    if (!advisors.contains(advisor)) {
                        throw new InvalidIdempotentMethodException(
                                "The bean '" + name
                                        + "', which opens the transactions of @Transactional methods, was created"
                                        + " too early: a BeanFactoryPostProcessor or a BeanPostProcessor depends on it. So the claims"
                                        + " of idempotent methods could not be placed in their transactions.",
                                "Make the dependency of the post-processor lazy (ObjectProvider, static @Bean method).");
                    }
                });
        areAllKnown = true;
    }

    /** Returns whether the application has started, so that no advisor follows by which a method declares its transaction. */
    boolean areAllKnown() {
        return areAllKnown;
    }

    /** Returns the interceptor that opens the transaction of a method; {@code null} if the method declares none. */
    @Nullable TransactionInterceptor find(Method method, Class<?> targetClass) {
        for (BeanFactoryTransactionAttributeSourceAdvisor advisor : advisors) {
            TransactionInterceptor interceptor = interceptorOf(advisor);
            if (attributeOf(interceptor, method, targetClass) != null) {
                return interceptor;
            }
        }
        return null;
    }

    /** Returns the attribute of the transaction that an interceptor opens for a method; {@code null} if it opens none. */
    static @Nullable TransactionAttribute attributeOf(
            TransactionInterceptor interceptor, Method method, Class<?> targetClass) {
        TransactionAttributeSource source = interceptor.getTransactionAttributeSource();
        return source == null ? null : source.getTransactionAttribute(method, targetClass);
    }

    /** Returns the place of transactions among the interceptors of a method. */
    int order() {
        return advisors.isEmpty() ? Ordered.LOWEST_PRECEDENCE : advisors.get(0).getOrder();
    }

    private static TransactionInterceptor interceptorOf(BeanFactoryTransactionAttributeSourceAdvisor advisor) {
        return (TransactionInterceptor) advisor.getAdvice();
    }

    /** The attributes of all methods that are not idempotent. */
    private final class OfOtherMethods implements TransactionAttributeSource {

        private final BeanFactoryTransactionAttributeSourceAdvisor advisor;

        OfOtherMethods(BeanFactoryTransactionAttributeSourceAdvisor advisor) {
            this.advisor = advisor;
        }

        @Override
        public boolean isCandidateClass(Class<?> targetClass) {
            TransactionAttributeSource source = interceptorOf(advisor).getTransactionAttributeSource();
            return source != null && source.isCandidateClass(targetClass);
        }

        @Override
        public @Nullable TransactionAttribute getTransactionAttribute(Method method, @Nullable Class<?> targetClass) {
            Class<?> type = targetClass == null ? method.getDeclaringClass() : targetClass;
            return operations.findOperation(method, type) == null
                    ? attributeOf(interceptorOf(advisor), method, type)
                    : null;
        }
    }
}
