package io.idempotency.internal.interceptor;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.DefaultAdvisorChainFactory;
import org.springframework.aop.interceptor.AsyncExecutionInterceptor;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.transaction.config.TransactionManagementConfigUtils;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.interceptor.TransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionInterceptor;
import org.springframework.util.ClassUtils;

import io.idempotency.InvalidIdempotentMethodException;
import io.idempotency.internal.operation.IdempotentOperation;
import io.idempotency.internal.operation.OperationRules;

/** A check that the interceptors of each idempotent method of a bean are in the order call, transaction, claim. */
final class ChainVerifier {

    private static final String SECURITY_PACKAGE = "org.springframework.security.";

    private final IdempotentAdvisors advisors;

    private final OperationRules rules;

    private final TransactionManagerVerifier managerVerifier;

    ChainVerifier(IdempotentAdvisors advisors, OperationRules rules, TransactionManagerVerifier managerVerifier) {
        this.advisors = advisors;
        this.rules = rules;
        this.managerVerifier = managerVerifier;
    }

    /**
     * Verifies a bean; its transaction managers only if they exist already, because a lookup would create them too
     * early.
     */
    void verify(
            Object bean,
            String beanName,
            Map<Method, IdempotentOperation> operations,
            ListableBeanFactory beanFactory,
            boolean withManagers) {
        if (operations.isEmpty()) {
            return;
        }
        if (beanFactory.containsBean(TransactionManagementConfigUtils.TRANSACTION_ASPECT_BEAN_NAME)) {
            throw new InvalidIdempotentMethodException(
                    "The bean '" + beanName
                            + "' has idempotent methods, but transactions are woven by AspectJ, inside of"
                            + " which the claim cannot be placed.",
                    "Use @EnableTransactionManagement with mode = AdviceMode.PROXY.");
        }
        Class<?> targetClass = AopProxyUtils.ultimateTargetClass(bean);
        operations.values().forEach(operation -> requireImplementedBy(targetClass, operation, beanName));
        Advised proxy = requireAdvisableProxy(bean, beanName);
        operations.values().forEach(operation -> {
            requireCallable(operation, bean, targetClass, beanName);
            Chain chain = verifyChain(proxy, operation, targetClass, beanName);
            if (withManagers) {
                chain.verifyManager(operation, targetClass, beanFactory);
            }
        });
    }

    private static void requireImplementedBy(Class<?> targetClass, IdempotentOperation operation, String beanName) {
        if (!operation.method().getDeclaringClass().isAssignableFrom(targetClass)) {
            throw new InvalidIdempotentMethodException(
                    "The bean '" + beanName
                            + "' is generated from an interface, such as a Spring Data repository, and has"
                            + " the idempotent method " + operation.describe()
                            + ": its transaction is inside of the generated proxy, where the claim cannot be placed.",
                    "Annotate a service method that calls it.");
        }
    }

    private static Advised requireAdvisableProxy(Object bean, String beanName) {
        if (!(bean instanceof Advised proxy) || proxy.isFrozen()) {
            throw notAdvisable(beanName);
        }
        Object target = AopProxyUtils.getSingletonTarget(proxy);
        if (target != null && ForeignProxy.is(target)) {
            throw new InvalidIdempotentMethodException(
                    "The bean '" + beanName
                            + "' with idempotent methods is a proxy round another proxy, inside of which"
                            + " the claim cannot be placed.",
                    "Let the container make the only proxy: return the object itself from the bean method, or annotate a"
                            + " service method that calls this bean.");
        }
        return proxy;
    }

    static InvalidIdempotentMethodException notAdvisable(String beanName) {
        return new InvalidIdempotentMethodException(
                "The bean '" + beanName + "' has idempotent methods, but no proxy that could be advised: it was"
                        + " created too early (a BeanPostProcessor or a BeanFactoryPostProcessor depends on it), was"
                        + " registered as a ready object, is an AopInfrastructureBean, or has a frozen or opaque proxy.",
                "Let the container create the bean after its post-processors: make the dependency of the"
                        + " post-processor lazy (ObjectProvider, static @Bean method), or register a bean definition"
                        + " instead of an object.");
    }

    private static void requireCallable(
            IdempotentOperation operation, Object bean, Class<?> targetClass, String beanName) {
        if (AopUtils.isJdkDynamicProxy(bean) && !isInInterfaceOf(bean, operation.method(), targetClass)) {
            throw new InvalidIdempotentMethodException(
                    "The bean '" + beanName + "' has a proxy for its interfaces, but none of them has the idempotent"
                            + " method " + operation.describe() + ".",
                    "Declare the method in an interface, or use class-based proxies (proxyTargetClass = true).");
        }
    }

    /** Compares the most specific methods, because the method of a generic interface has other parameter types. */
    private static boolean isInInterfaceOf(Object bean, Method method, Class<?> targetClass) {
        return Arrays.stream(ClassUtils.getAllInterfaces(bean))
                .flatMap(type -> Arrays.stream(type.getMethods()))
                .anyMatch(exposed ->
                        AopUtils.getMostSpecificMethod(exposed, targetClass).equals(method));
    }

    private Chain verifyChain(Advised proxy, IdempotentOperation operation, Class<?> targetClass, String beanName) {
        Chain chain = new Chain(DefaultAdvisorChainFactory.INSTANCE.getInterceptorsAndDynamicInterceptionAdvice(
                proxy, operation.method(), targetClass));
        int callIndex = chain.indexOfOnlyCall();
        if (callIndex < 0 || chain.hasTransactionBefore(callIndex) || !chain.hasOneClaimAtEnd()) {
            throw new InvalidIdempotentMethodException(
                    "The idempotent method " + operation.describe() + " of the bean '" + beanName
                            + "' is not protected: its proxy was created too early, or was changed later, so that its"
                            + " interceptors are " + chain
                            + " instead of IdempotentCallInterceptor, TransactionInterceptor and, last,"
                            + " IdempotentClaimInterceptor.",
                    "Let the container create the bean after its post-processors: make the dependency of a"
                            + " post-processor lazy (ObjectProvider, static @Bean method); and add no advisors to its"
                            + " proxy later.");
        }
        chain.requireSecurityOutside(callIndex, operation);
        rules.checkTransaction(
                operation, chain.transactionOf(operation.method(), targetClass), chain.isAsyncBefore(callIndex));
        return chain;
    }

    /** The interceptors of one method, the outermost first. */
    private final class Chain {

        private final List<Object> interceptors;

        Chain(List<Object> interceptors) {
            this.interceptors = interceptors;
        }

        int indexOfOnlyCall() {
            List<Object> found = interceptors.stream().filter(advisors::isCall).toList();
            return found.size() == 1 ? interceptors.indexOf(found.get(0)) : -1;
        }

        boolean hasTransactionBefore(int callIndex) {
            return interceptors.stream().limit(callIndex).anyMatch(TransactionInterceptor.class::isInstance);
        }

        boolean isAsyncBefore(int callIndex) {
            return interceptors.stream().limit(callIndex).anyMatch(AsyncExecutionInterceptor.class::isInstance);
        }

        boolean hasOneClaimAtEnd() {
            return interceptors.stream().filter(advisors::isClaim).count() == 1
                    && advisors.isClaim(interceptors.get(interceptors.size() - 1));
        }

        void requireSecurityOutside(int callIndex, IdempotentOperation operation) {
            findSecurity(operation.storedArguments() == null ? interceptors.size() : 0)
                    .ifPresent(name -> {
                        throw new InvalidIdempotentMethodException(
                                "The idempotent method " + operation.describe()
                                        + " has resume = true and is secured by " + name
                                        + ": a call that is resumed has no authentication, so it would be refused in each attempt.",
                                "Secure the method that calls it, such as the controller's, or remove resume = true.");
                    });
            findSecurity(callIndex).ifPresent(name -> {
                throw new InvalidIdempotentMethodException(
                        "The idempotent method " + operation.describe() + " is secured by " + name
                                + " inside of its transaction, so callers without the right would claim keys.",
                        "Raise the order of transactions or lower that of method security, so that security"
                                + " comes first: @EnableTransactionManagement(order = ...) must be greater than"
                                + " the order that @EnableMethodSecurity(offset = ...) sets.");
            });
        }

        private Optional<String> findSecurity(int first) {
            return interceptors.stream()
                    .skip(first)
                    .map(interceptor -> interceptor.getClass().getName())
                    .filter(name -> name.startsWith(SECURITY_PACKAGE))
                    .findFirst();
        }

        @Nullable TransactionAttribute transactionOf(Method method, Class<?> targetClass) {
            for (Object interceptor : interceptors) {
                TransactionAttribute attribute = attributeOf(interceptor, method, targetClass);
                if (attribute != null) {
                    return attribute;
                }
            }
            return null;
        }

        void verifyManager(IdempotentOperation operation, Class<?> targetClass, ListableBeanFactory beanFactory) {
            for (Object interceptor : interceptors) {
                TransactionAttribute attribute = attributeOf(interceptor, operation.method(), targetClass);
                if (attribute != null) {
                    managerVerifier.verify(
                            operation, targetClass, attribute, (TransactionInterceptor) interceptor, beanFactory);
                }
            }
        }

        private static @Nullable TransactionAttribute attributeOf(
                Object interceptor, Method method, Class<?> targetClass) {
            TransactionAttributeSource source = interceptor instanceof TransactionInterceptor transactions
                    ? transactions.getTransactionAttributeSource()
                    : null;
            return source == null ? null : source.getTransactionAttribute(method, targetClass);
        }

        @Override
        public String toString() {
            return interceptors.stream()
                    .map(interceptor -> interceptor.getClass().getSimpleName())
                    .toList()
                    .toString();
        }
    }
}
