package io.idempotency.internal.resume;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.MethodIntrospector.MetadataLookup;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;

import io.idempotency.IdempotencyStartupException;
import io.idempotency.internal.call.attempt.Invocation;
import io.idempotency.internal.fingerprint.Fingerprint;
import io.idempotency.internal.fingerprint.Fingerprinter;
import io.idempotency.internal.operation.CallOperation;
import io.idempotency.internal.operation.IdempotentOperation;
import io.idempotency.internal.operation.IdempotentOperationSource;
import io.idempotency.internal.outbox.OtherVersionException;
import io.idempotency.internal.response.ResponseMapper;

/** The registry of the methods whose calls are resumed. They are known as soon as the {@link #checks()} are made. */
public final class ResumableMethods {

    private static final Logger logger = LoggerFactory.getLogger(ResumableMethods.class);

    private final ConfigurableListableBeanFactory beans;

    private final IdempotentOperationSource operations;

    private final ResponseMapper codecs;

    private final Fingerprinter fingerprinter;

    private final Map<String, ResumableMethod> byScope = new ConcurrentHashMap<>();

    /** Names of beans that do not exist yet and whose declared types may hide methods. */
    private final Set<String> undiscovered = ConcurrentHashMap.newKeySet();

    /** Names of beans whose failed creation is logged. */
    private final Set<String> notCreated = ConcurrentHashMap.newKeySet();

    public ResumableMethods(
            ConfigurableListableBeanFactory beans,
            IdempotentOperationSource operations,
            ResponseMapper codecs,
            Fingerprinter fingerprinter) {
        this.beans = beans;
        this.operations = operations;
        this.codecs = codecs;
        this.fingerprinter = fingerprinter;
    }

    /**
     * Finds the methods without creating a bean. Those of lazy beans that are declared by an interface are found later.
     *
     * @return checks, each of which adds the methods of a bean, and throws {@link IdempotencyStartupException} if one of them cannot be
     *     resumed, or two beans have it
     */
    public Stream<Runnable> checks() {
        return Stream.of(beans.getBeanNamesForType(Object.class, true, false)).map(beanName -> () -> check(beanName));
    }

    private void check(String beanName) {
        Class<?> type =
                ScopedProxyUtils.isScopedTarget(beanName) ? null : AutoProxyUtils.determineTargetClass(beans, beanName);
        if (type != null && operations.isCandidateClass(type)) {
            addMethodsOf(beanName, type);
        }
        if (type != null && Modifier.isAbstract(type.getModifiers()) && isNotCreated(beanName)) {
            undiscovered.add(beanName);
        }
    }

    private boolean isNotCreated(String beanName) {
        return beans.containsBeanDefinition(beanName)
                && beans.getMergedBeanDefinition(beanName).isSingleton()
                && !beans.containsSingleton(beanName);
    }

    /** Returns whether there may be further methods, which {@link #discover()} finds. */
    boolean mayBeMore() {
        return !undiscovered.isEmpty();
    }

    /** Creates the lazy beans whose methods are not known. */
    void discover() {
        for (String beanName : List.copyOf(undiscovered)) {
            Class<?> type;
            try {
                type = AopUtils.getTargetClass(beans.getBean(beanName));
            } catch (RuntimeException failure) {
                // In each search, for as long as calls of others are due.
                logger.atLevel(notCreated.add(beanName) ? Level.WARN : Level.DEBUG)
                        .setCause(failure)
                        .log("The lazy bean '{}' cannot be created to resume its calls; this is tried again", beanName);
                continue;
            }
            if (undiscovered.remove(beanName) && operations.isCandidateClass(type)) {
                addDiscovered(beanName, type);
            }
        }
    }

    private void addDiscovered(String beanName, Class<?> type) {
        try {
            addMethodsOf(beanName, type);
        } catch (RuntimeException refused) {
            logger.error(
                    "A method of the lazy bean '{}' cannot be resumed, so that no call in its scope is; this is not tried"
                            + " again: {}",
                    beanName,
                    refused.getMessage(),
                    refused);
        }
    }

    /** Returns whether there are no methods. */
    public boolean isEmpty() {
        return byScope.isEmpty() && undiscovered.isEmpty();
    }

    Collection<String> scopes() {
        return Set.copyOf(byScope.keySet());
    }

    CallOperation operationOf(DueCall due) {
        return method(due).operation();
    }

    Invocation prepare(DueCall due, Fingerprint fingerprint) throws OtherVersionException {
        return method(due).prepare(beans, codecs, fingerprinter, due, fingerprint);
    }

    private ResumableMethod method(DueCall due) {
        ResumableMethod method = byScope.get(due.intent().scope());
        if (method == null) {
            throw new IllegalStateException("No method resumes the " + due.intent());
        }
        return method;
    }

    private void addMethodsOf(String beanName, Class<?> type) {
        MetadataLookup<@Nullable IdempotentOperation> lookup = method -> operations.findOperation(method, type);
        MethodIntrospector.selectMethods(type, lookup).forEach((method, operation) -> {
            if (operation instanceof CallOperation call && call.storedArguments() != null) {
                requireNotAsync(operation, type);
                add(new ResumableMethod(beanName, invocable(beanName, method), call));
            }
        });
    }

    private static void requireNotAsync(IdempotentOperation operation, Class<?> type) {
        if (AnnotatedElementUtils.hasAnnotation(operation.method(), Async.class)
                || AnnotatedElementUtils.hasAnnotation(type, Async.class)) {
            throw new IdempotencyStartupException(
                    "The idempotent method " + operation.describe()
                            + " has resume = true and is @Async, so that it would run on a thread that knows nothing of the"
                            + " call to resume.",
                    "Remove one of the two.");
        }
    }

    private void add(ResumableMethod method) {
        String scope = method.operation().scope();
        ResumableMethod other = byScope.get(scope);
        if (other != null && !other.beanName().equals(method.beanName())) {
            // A lazy bean was found later.
            byScope.remove(scope);
            throw new IdempotencyStartupException(
                    "The beans '" + other.beanName() + "' and '" + method.beanName()
                            + "' both have the idempotent method "
                            + method.operation().describe()
                            + " with resume = true, so that a call of one could be resumed"
                            + " on the other.",
                    "Give each a method with a scope of its own, or remove resume = true.");
        }
        byScope.put(scope, method);
    }

    private Method invocable(String beanName, Method method) {
        Class<?> proxied = beans.getType(beanName, false);
        return proxied == null ? method : AopUtils.selectInvocableMethod(method, proxied);
    }
}
