package io.idempotency.internal.operation;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

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
import io.idempotency.InvalidIdempotentMethodException;

/**
 * The source that reads {@link Idempotent} and the annotations of other kinds, also as meta-annotations and from interfaces,
 * once for each idempotent method and class. Other methods are not cached, because they are queried at start-up only.
 */
public final class AnnotationOperationSource implements IdempotentOperationSource {

    private final List<AnnotationParser<?>> parsers;

    private final Map<MethodClassKey, IdempotentOperation> operations = new ConcurrentHashMap<>();

    private final ScopeOwnership ownership = new ScopeOwnership();

    /**
     * Creates the source.
     *
     * @param retention retention of keys; called when the first annotation is found
     */
    public AnnotationOperationSource(
            StringValueResolver placeholders,
            Supplier<RetentionPolicy> retention,
            List<AnnotationParser<?>> otherParsers) {
        List<AnnotationParser<?>> all = new ArrayList<>();
        all.add(new OperationParser(placeholders, retention));
        all.addAll(otherParsers);
        this.parsers = List.copyOf(all);
    }

    @Override
    public List<OperationKind> kinds() {
        return parsers.stream().<OperationKind>map(AnnotationParser::kind).toList();
    }

    @Override
    public boolean isCandidateClass(Class<?> type) {
        return parsers.stream().anyMatch(parser -> AnnotationUtils.isCandidateClass(type, parser.annotationType()));
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
        IdempotentOperation first = operations.putIfAbsent(key, found);
        return first == null ? found : first;
    }

    private @Nullable IdempotentOperation read(Method method, Class<?> targetClass) {
        Class<?> userClass = ClassUtils.getUserClass(targetClass);
        Method specific = Proxy.isProxyClass(userClass) ? method : AopUtils.getMostSpecificMethod(method, userClass);
        IdempotentOperation operation = read(specific, specific, userClass);
        return operation == null && !specific.equals(method) ? read(method, specific, userClass) : operation;
    }

    private @Nullable IdempotentOperation read(Method annotated, Method specific, Class<?> userClass) {
        MergedAnnotations annotations =
                MergedAnnotations.from(annotated, SearchStrategy.TYPE_HIERARCHY, RepeatableContainers.none());
        List<Found<?>> found = parsers.stream()
                .<Found<?>>map(parser -> find(annotations, parser, specific))
                .filter(one -> one.annotation().isPresent())
                .toList();
        if (found.size() > 1) {
            throw moreThanOne(
                    specific,
                    found.get(0).parser().kind(),
                    found.get(1).parser().kind());
        }
        return found.isEmpty() ? null : registered(found.get(0), specific, userClass);
    }

    private static InvalidIdempotentMethodException moreThanOne(
            Method specific, OperationKind one, OperationKind other) {
        return new InvalidIdempotentMethodException(
                "The method " + MethodDescription.of(specific) + " has both " + one.displayName() + " and "
                        + other.displayName() + ", but a repeat of one is not a repeat of the other.",
                "Keep " + other.displayName() + " for " + other.purpose() + " and " + one.displayName() + " for "
                        + one.purpose() + ".");
    }

    /** Registers the declaration as owner, because all implementations of one annotated method may share its scope. */
    private IdempotentOperation registered(Found<?> found, Method specific, Class<?> userClass) {
        IdempotentOperation operation = found.parse(specific, userClass);
        ownership.require(
                operation,
                found.annotation().getSource() instanceof Method declaration ? declaration : operation.method());
        return operation;
    }

    private static <A extends Annotation> Found<A> find(
            MergedAnnotations annotations, AnnotationParser<A> parser, Method specific) {
        Class<A> type = parser.annotationType();
        MergedAnnotation<A> found = annotations.get(type, null, MergedAnnotationSelectors.firstDirectlyDeclared());
        if (found.isPresent()) {
            List<String> onOneMethod = annotations.stream(type)
                    .filter(annotation -> annotation.getAggregateIndex() == found.getAggregateIndex())
                    .map(annotation -> "@" + annotation.getRoot().getType().getSimpleName())
                    .distinct()
                    .toList();
            if (onOneMethod.size() > 1) {
                throw new InvalidIdempotentMethodException(
                        "The method " + MethodDescription.of(specific) + " has more than one @" + type.getSimpleName()
                                + ", of which only one would count: " + String.join(" and ", onOneMethod) + ".",
                        "Keep one of them.");
            }
        }
        return new Found<>(parser, found);
    }

    /** An annotation that may be present, and its parser. */
    private record Found<A extends Annotation>(AnnotationParser<A> parser, MergedAnnotation<A> annotation) {

        IdempotentOperation parse(Method specific, Class<?> userClass) {
            return parser.parse(annotation.synthesize(), specific, userClass);
        }
    }
}
