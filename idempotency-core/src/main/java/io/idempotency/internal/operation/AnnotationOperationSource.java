package io.idempotency.internal.operation;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
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
import io.idempotency.inbox.IdempotentReceiver;

/**
 * The source that reads {@link Idempotent} and {@link IdempotentReceiver}, also as meta-annotations and from
 * interfaces, once for each idempotent method and class. Other methods are not cached, because they are queried at
 * start-up only.
 */
public final class AnnotationOperationSource implements IdempotentOperationSource {

    private final OperationParser calls;

    private final ReceiverParser receivers;

    private final Map<MethodClassKey, IdempotentOperation> operations = new ConcurrentHashMap<>();

    private final ScopeOwnership ownership = new ScopeOwnership();

    /**
     * Creates the source.
     *
     * @param retention retention of keys and messages; called when the first annotation is found
     */
    public AnnotationOperationSource(StringValueResolver placeholders, Supplier<RetentionPolicy> retention) {
        this.calls = new OperationParser(placeholders, retention);
        this.receivers = new ReceiverParser(placeholders, retention);
    }

    @Override
    public boolean isCandidateClass(Class<?> type) {
        return AnnotationUtils.isCandidateClass(type, Idempotent.class)
                || AnnotationUtils.isCandidateClass(type, IdempotentReceiver.class);
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
        // The first one wins, because both interceptors of a call must get the same object.
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
        MergedAnnotation<Idempotent> call = find(annotations, Idempotent.class, specific);
        MergedAnnotation<IdempotentReceiver> receiver = find(annotations, IdempotentReceiver.class, specific);
        if (call.isPresent() && receiver.isPresent()) {
            throw new InvalidIdempotentMethodException(
                    "The method " + MethodDescription.of(specific)
                            + " has both @Idempotent and @IdempotentReceiver, but a repeat of one is not a repeat of"
                            + " the other.",
                    "Keep @IdempotentReceiver for messages and @Idempotent for calls that have a response.");
        }
        if (call.isPresent()) {
            return registered(calls.parse(call.synthesize(), specific, userClass), call);
        }
        return receiver.isPresent()
                ? registered(receivers.parse(receiver.synthesize(), specific, userClass), receiver)
                : null;
    }

    /**
     * Registers the declaration as owner, because all implementations of one annotated method share its scope or
     * consumer.
     */
    private IdempotentOperation registered(IdempotentOperation operation, MergedAnnotation<?> annotation) {
        ownership.require(
                operation, annotation.getSource() instanceof Method declaration ? declaration : operation.method());
        return operation;
    }

    private static <A extends Annotation> MergedAnnotation<A> find(
            MergedAnnotations annotations, Class<A> type, Method specific) {
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
        return found;
    }
}
