package io.idempotency.operation;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotationSelectors;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.annotation.RepeatableContainers;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringValueResolver;

import io.idempotency.Idempotent;

/**
 * Reads {@link Idempotent}, also as a meta-annotation and from interfaces, once for each idempotent method and class. What
 * is not idempotent is not remembered: it is asked for at start-up only.
 */
public final class AnnotationOperationSource implements IdempotentOperationSource {

    private final OperationParser parser;

    private final Map<MethodClassKey, IdempotentOperation> operations = new ConcurrentHashMap<>();

    private final Map<String, Method> methodByScope = new ConcurrentHashMap<>();

    /**
     * Creates the source.
     *
     * @param placeholders replaces {@code ${...}} in scopes and durations
     */
    public AnnotationOperationSource(StringValueResolver placeholders) {
        this.parser = new OperationParser(placeholders);
    }

    @Override
    public boolean isCandidateClass(Class<?> type) {
        return AnnotationUtils.isCandidateClass(type, Idempotent.class);
    }

    @Override
    public @Nullable IdempotentOperation findOperation(Method method, Class<?> targetClass) {
        if (method.getDeclaringClass() == Object.class) {
            return null;
        }
        MethodClassKey key = new MethodClassKey(method, targetClass);
        IdempotentOperation known = operations.get(key);
        if (known != null) {
            return known;
        }
        IdempotentOperation found = read(method, targetClass);
        if (found == null) {
            return null;
        }
        // Whoever was first counts: the boundary and the claim of one call must mean the same object.
        IdempotentOperation first = operations.putIfAbsent(key, found);
        return first == null ? found : first;
    }

    private @Nullable IdempotentOperation read(Method method, Class<?> targetClass) {
        Class<?> userClass = ClassUtils.getUserClass(targetClass);
        Method specific = Proxy.isProxyClass(userClass) ? method : AopUtils.getMostSpecificMethod(method, userClass);
        MergedAnnotation<Idempotent> annotation = find(specific);
        if (!annotation.isPresent() && !specific.equals(method)) {
            annotation = find(method);
        }
        if (!annotation.isPresent()) {
            return null;
        }
        IdempotentOperation operation = parser.parse(annotation.synthesize(), specific, userClass);
        // Where the annotation stands: all implementations of one annotated method share its scope.
        Method declaration = annotation.getSource() instanceof Method annotated ? annotated : specific;
        ScopeOwnership.require(methodByScope, operation, declaration);
        return operation;
    }

    private static MergedAnnotation<Idempotent> find(Method method) {
        return MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY, RepeatableContainers.none())
                .get(Idempotent.class, null, MergedAnnotationSelectors.firstDirectlyDeclared());
    }
}
