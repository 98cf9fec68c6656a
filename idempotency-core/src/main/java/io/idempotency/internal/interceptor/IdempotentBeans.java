package io.idempotency.internal.interceptor;

import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.SpringProxy;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.util.ClassUtils;

import io.idempotency.internal.operation.IdempotentOperation;
import io.idempotency.internal.operation.IdempotentOperationSource;
import io.idempotency.internal.operation.OperationKind;
import io.idempotency.internal.operation.OperationRules;
import io.idempotency.internal.ownership.OwnedName;

/** The idempotent methods of beans, each checked once. */
final class IdempotentBeans {

    private final IdempotentOperationSource operations;

    private final OperationRules rules;

    private final SelfInvocations selfInvocations = new SelfInvocations();

    private final Map<Class<?>, Map<Method, IdempotentOperation>> operationsByClass = new ConcurrentHashMap<>();

    IdempotentBeans(IdempotentOperationSource operations, OperationRules rules) {
        this.operations = operations;
        this.rules = rules;
    }

    /** Returns the operations of the bean's own class, and those that only the interfaces of its proxy have. */
    Map<Method, IdempotentOperation> operationsOf(Object bean) {
        Map<Method, IdempotentOperation> found = new LinkedHashMap<>();
        for (Class<?> type : typesOf(bean)) {
            found.putAll(operationsOf(type));
        }
        return found;
    }

    /** Returns how many methods of a kind have been found, one for all beans that share its annotation. */
    long count(OperationKind kind) {
        return operationsByClass.values().stream()
                .flatMap(found -> found.values().stream())
                .filter(operation -> operation.kind().equals(kind))
                .map(IdempotentOperation::scope)
                .distinct()
                .count();
    }

    /** Returns the scopes of all methods that have been found, by the names of their kinds. */
    Stream<OwnedName> names() {
        return operationsByClass.values().stream()
                .flatMap(found -> found.values().stream())
                .map(operation -> new OwnedName(operation.kind().scopeName(), operation.scope()));
    }

    /** Returns the class of a bean's own object without creating it; {@code null} if it is not known, or a test double. */
    static @Nullable Class<?> findType(
            ConfigurableListableBeanFactory beanFactory, String beanName, Predicate<Object> isTestDouble) {
        Object existing = beanFactory.getSingleton(beanName);
        return (existing != null && isTestDouble.test(existing)) || !beanFactory.containsBean(beanName)
                ? null
                : AutoProxyUtils.determineTargetClass(beanFactory, beanName);
    }

    private static Set<Class<?>> typesOf(Object bean) {
        Set<Class<?>> types = new LinkedHashSet<>();
        Class<?> targetClass = AopProxyUtils.ultimateTargetClass(bean);
        types.add(targetClass);
        if (bean instanceof SpringProxy) {
            for (Class<?> proxied : ClassUtils.getAllInterfaces(bean)) {
                if (!proxied.isAssignableFrom(targetClass)) {
                    types.add(proxied);
                }
            }
        }
        return types;
    }

    Map<Method, IdempotentOperation> operationsOf(Class<?> type) {
        Class<?> userClass = ClassUtils.getUserClass(type);
        Map<Method, IdempotentOperation> known = operationsByClass.get(userClass);
        if (known == null) {
            known = find(userClass);
            operationsByClass.put(userClass, known);
        }
        return known;
    }

    private Map<Method, IdempotentOperation> find(Class<?> userClass) {
        if (!operations.isCandidateClass(userClass)) {
            return Map.of();
        }
        Mistakes mistakes = new Mistakes();
        mistakes.check(() -> rules.checkPlacement(userClass));
        MethodIntrospector.MetadataLookup<@Nullable IdempotentOperation> lookup =
                method -> mistakes.read(() -> operations.findOperation(method, userClass));
        Map<Method, IdempotentOperation> found = MethodIntrospector.selectMethods(userClass, lookup);
        found.values().forEach(operation -> mistakes.check(() -> rules.check(operation, userClass)));
        mistakes.report();
        if (!found.isEmpty()) {
            selfInvocations.warn(userClass, found.values());
        }
        return found;
    }
}
