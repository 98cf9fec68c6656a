package io.idempotency.operation;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringValueResolver;

import io.idempotency.Idempotent;

/** Reads {@link Idempotent}, also as a meta-annotation and from interfaces, once for each method and class. */
public final class AnnotationOperationSource implements IdempotentOperationSource {

    private final OperationParser parser;

    private final Map<MethodClassKey, Optional<IdempotentOperation>> operations = new ConcurrentHashMap<>();

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
        Optional<IdempotentOperation> known = operations.get(key);
        if (known == null) {
            known = Optional.ofNullable(read(method, targetClass));
            operations.put(key, known);
        }
        return known.orElse(null);
    }

    private @Nullable IdempotentOperation read(Method method, Class<?> targetClass) {
        Class<?> userClass = ClassUtils.getUserClass(targetClass);
        Method specific = AopUtils.getMostSpecificMethod(method, userClass);
        Idempotent annotation = find(specific);
        Method annotated = specific;
        if (annotation == null && !specific.equals(method)) {
            annotation = find(method);
            annotated = method;
        }
        if (annotation == null) {
            return null;
        }
        IdempotentOperation operation = parser.parse(annotation, specific, userClass);
        ScopeOwnership.require(methodByScope, operation, declaration(annotated));
        return operation;
    }

    private static @Nullable Idempotent find(Method method) {
        return AnnotatedElementUtils.findMergedAnnotation(method, Idempotent.class);
    }

    /** Where the annotation stands: implementations of one annotated interface method share its scope. */
    private static Method declaration(Method method) {
        if (AnnotatedElementUtils.isAnnotated(method, Idempotent.class) || Modifier.isPrivate(method.getModifiers())) {
            return method;
        }
        for (Class<?> type : ClassUtils.getAllInterfacesForClassAsSet(method.getDeclaringClass())) {
            Method declared = ClassUtils.getMethodIfAvailable(type, method.getName(), method.getParameterTypes());
            if (declared != null && AnnotatedElementUtils.isAnnotated(declared, Idempotent.class)) {
                return declared;
            }
        }
        Class<?> superclass = method.getDeclaringClass().getSuperclass();
        Method inherited = superclass == null
                ? null
                : ClassUtils.getMethodIfAvailable(superclass, method.getName(), method.getParameterTypes());
        return inherited == null ? method : declaration(inherited);
    }
}
