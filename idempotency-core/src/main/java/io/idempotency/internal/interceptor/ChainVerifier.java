package io.idempotency.internal.interceptor;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.DefaultAdvisorChainFactory;
import org.springframework.aop.interceptor.AsyncExecutionInterceptor;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.transaction.config.TransactionManagementConfigUtils;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.interceptor.TransactionInterceptor;
import org.springframework.util.ClassUtils;

import io.idempotency.InvalidIdempotentMethodException;
import io.idempotency.internal.operation.CallOperation;
import io.idempotency.internal.operation.IdempotentOperation;
import io.idempotency.internal.operation.OperationRules;

import static java.util.Objects.requireNonNull;

/** A check that the proxy of a bean protects each of its idempotent methods. */
final class ChainVerifier {

    private static final String SECURITY_PACKAGE = "org.springframework.security.";

    private final DeclaredTransactions transactions;

    private final OperationRules rules;

    private final TransactionManagerVerifier managerVerifier;

    ChainVerifier(DeclaredTransactions transactions, OperationRules rules, TransactionManagerVerifier managerVerifier) {
        this.transactions = transactions;
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
            verifyChain(proxy, operation, targetClass, beanName);
            if (withManagers) {
                verifyManager(operation, targetClass, beanFactory);
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
                    "Let the container make the only proxy: return the object itself from the bean method, remove a second"
                            + " creator of proxies (a DefaultAdvisorAutoProxyCreator bean), or annotate a service method that"
                            + " calls this bean.");
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

    private void verifyChain(Advised proxy, IdempotentOperation operation, Class<?> targetClass, String beanName) {
        List<Object> interceptors = DefaultAdvisorChainFactory.INSTANCE.getInterceptorsAndDynamicInterceptionAdvice(
                proxy, operation.method(), targetClass);
        int index = indexOfOnlyInterceptor(interceptors);
        if (index < 0) {
            throw new InvalidIdempotentMethodException(
                    "The idempotent method " + operation.describe() + " of the bean '" + beanName
                            + "' is not protected: its proxy was created too early, or was changed later, so that its"
                            + " interceptors are " + namesOf(interceptors)
                            + " instead of one IdempotentInterceptor among them.",
                    "Let the container create the bean after its post-processors: make the dependency of a"
                            + " post-processor lazy (ObjectProvider, static @Bean method); and add no advisors to its"
                            + " proxy later.");
        }
        List<Object> outside = interceptors.subList(0, index);
        List<Object> inside = interceptors.subList(index + 1, interceptors.size());
        requireSecurityOutside(operation, outside, inside);
        requireNoTransactionInside(operation, targetClass, inside);
        requireNotAsyncInside(operation, inside);
        TransactionInterceptor declared = transactions.find(operation.method(), targetClass);
        rules.checkTransaction(
                operation,
                declared == null ? null : DeclaredTransactions.attributeOf(declared, operation.method(), targetClass),
                outside.stream().anyMatch(AsyncExecutionInterceptor.class::isInstance));
    }

    private static int indexOfOnlyInterceptor(List<Object> interceptors) {
        List<Object> found = interceptors.stream()
                .filter(IdempotentInterceptor.class::isInstance)
                .toList();
        return found.size() == 1 ? interceptors.indexOf(found.get(0)) : -1;
    }

    private static List<String> namesOf(List<Object> interceptors) {
        return interceptors.stream()
                .map(interceptor -> interceptor.getClass().getSimpleName())
                .toList();
    }

    private static void requireSecurityOutside(
            IdempotentOperation operation, List<Object> outside, List<Object> inside) {
        findSecurity(inside).ifPresent(name -> {
            throw new InvalidIdempotentMethodException(
                    "The idempotent method " + operation.describe() + " is secured by " + name
                            + " inside of its transaction, so callers without the right would claim keys.",
                    "Raise the order of transactions or lower the order of method security, so that security"
                            + " comes first: @EnableTransactionManagement(order = ...) must be greater than"
                            + " the order that @EnableMethodSecurity(offset = ...) sets.");
        });
        findSecurity(operation instanceof CallOperation call && call.storedArguments() != null ? outside : List.of())
                .ifPresent(name -> {
                    throw new InvalidIdempotentMethodException(
                            "The idempotent method " + operation.describe() + " has resume = true and is secured by "
                                    + name
                                    + ": a call that is resumed has no authentication, so it would be refused in each attempt.",
                            "Secure the method that calls it, such as the controller's, or remove resume = true.");
                });
    }

    private static Optional<String> findSecurity(List<Object> interceptors) {
        return interceptors.stream()
                .map(interceptor -> interceptor.getClass().getName())
                .filter(name -> name.startsWith(SECURITY_PACKAGE))
                .findFirst();
    }

    /** Refuses a transaction that would commit the effect apart from its claim, or end before it. */
    private static void requireNoTransactionInside(
            IdempotentOperation operation, Class<?> targetClass, List<Object> inside) {
        for (Object interceptor : inside) {
            if (interceptor instanceof TransactionInterceptor transaction
                    && DeclaredTransactions.attributeOf(transaction, operation.method(), targetClass) != null) {
                throw new InvalidIdempotentMethodException(
                        "The idempotent method " + operation.describe()
                                + " has a transaction that is not declared with @Transactional (<tx:advice> or the like)"
                                + " inside of its claim, so that its effect might be committed without it.",
                        "Declare the transaction with @Transactional, or give its advisor a lower order than the advisor of"
                                + " @EnableTransactionManagement, so that the call joins it.");
            }
        }
    }

    /** Refuses a method that would run on another thread than its transaction. */
    private static void requireNotAsyncInside(IdempotentOperation operation, List<Object> inside) {
        if (inside.stream().anyMatch(AsyncExecutionInterceptor.class::isInstance)) {
            throw new InvalidIdempotentMethodException(
                    "The idempotent method " + operation.describe()
                            + " is asynchronous inside of its transaction, so that it would run without it.",
                    "Give the advisor of asynchronous methods a lower order than the advisor of"
                            + " @EnableTransactionManagement, so that it comes first.");
        }
    }

    private void verifyManager(IdempotentOperation operation, Class<?> targetClass, ListableBeanFactory beanFactory) {
        TransactionInterceptor declared = transactions.find(operation.method(), targetClass);
        if (declared != null) {
            TransactionAttribute attribute =
                    DeclaredTransactions.attributeOf(declared, operation.method(), targetClass);
            managerVerifier.verify(operation, targetClass, requireNonNull(attribute), declared, beanFactory);
        }
    }
}
