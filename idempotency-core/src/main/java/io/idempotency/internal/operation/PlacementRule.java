package io.idempotency.internal.operation;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Executable;
import java.util.List;
import java.util.stream.Collectors;

import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.annotation.RepeatableContainers;
import org.springframework.util.ReflectionUtils;

import io.idempotency.InvalidIdempotentMethodException;

/** The rule against composed annotations without effect: on a class, a field, a constructor or a parameter. */
final class PlacementRule {

    private final List<OperationKind> kinds;

    PlacementRule(List<OperationKind> kinds) {
        this.kinds = kinds;
    }

    void check(Class<?> type) {
        refuse(find(type, SearchStrategy.TYPE_HIERARCHY), type);
        ReflectionUtils.doWithFields(type, field -> refuse(find(field, SearchStrategy.DIRECT), field));
        ReflectionUtils.doWithMethods(type, this::checkParameters);
        for (Executable constructor : constructorsOf(type)) {
            refuse(find(constructor, SearchStrategy.DIRECT), constructor);
            checkParameters(constructor);
        }
    }

    /**
     * Returns none if the class of a {@code @Bean} method's result has a constructor with a type that is not on the
     * class path.
     */
    private static Executable[] constructorsOf(Class<?> type) {
        try {
            return type.getDeclaredConstructors();
        } catch (NoClassDefFoundError missingParameterType) {
            return new Executable[0];
        }
    }

    private void checkParameters(Executable executable) {
        for (Annotation[] annotations : executable.getParameterAnnotations()) {
            if (annotations.length > 0) {
                refuse(MergedAnnotations.from(annotations), "a parameter of " + executable);
            }
        }
    }

    private static MergedAnnotations find(AnnotatedElement element, SearchStrategy strategy) {
        return MergedAnnotations.from(element, strategy, RepeatableContainers.none());
    }

    private void refuse(MergedAnnotations annotations, Object place) {
        for (OperationKind kind : kinds) {
            MergedAnnotation<?> found = annotations.get(kind.annotation());
            if (found.isPresent()) {
                // A class may inherit it from a superclass or an interface.
                Object declaredOn = found.getSource() instanceof Class<?> declaring ? declaring : place;
                throw new InvalidIdempotentMethodException(
                        "@" + found.getRoot().getType().getSimpleName() + ", which includes " + kind.displayName()
                                + ", stands on " + declaredOn + ", where it makes no method idempotent.",
                        "Put it on each method that is to be idempotent, with a name of its own for each ("
                                + kinds.stream().map(OperationKind::scopeName).collect(Collectors.joining(" or "))
                                + "), and let it have @Target(ElementType.METHOD).");
            }
        }
    }
}
