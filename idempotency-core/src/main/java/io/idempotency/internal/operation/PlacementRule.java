package io.idempotency.internal.operation;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Executable;
import java.util.List;

import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.annotation.RepeatableContainers;
import org.springframework.util.ReflectionUtils;

import io.idempotency.Idempotent;
import io.idempotency.InvalidIdempotentMethodException;
import io.idempotency.inbox.IdempotentReceiver;

/** The rule against composed annotations without effect: on a class, a field, a constructor or a parameter. */
final class PlacementRule {

    private static final List<Class<? extends Annotation>> ANNOTATIONS =
            List.of(Idempotent.class, IdempotentReceiver.class);

    void check(Class<?> type) {
        refuse(find(type, SearchStrategy.TYPE_HIERARCHY), type);
        ReflectionUtils.doWithFields(type, field -> refuse(find(field, SearchStrategy.DIRECT), field));
        ReflectionUtils.doWithMethods(type, PlacementRule::checkParameters);
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

    private static void checkParameters(Executable executable) {
        for (Annotation[] annotations : executable.getParameterAnnotations()) {
            if (annotations.length > 0) {
                refuse(MergedAnnotations.from(annotations), "a parameter of " + executable);
            }
        }
    }

    private static MergedAnnotations find(AnnotatedElement element, SearchStrategy strategy) {
        return MergedAnnotations.from(element, strategy, RepeatableContainers.none());
    }

    private static void refuse(MergedAnnotations annotations, Object place) {
        for (Class<? extends Annotation> type : ANNOTATIONS) {
            MergedAnnotation<?> found = annotations.get(type);
            if (found.isPresent()) {
                // A class may inherit it from a superclass or an interface.
                Object declaredOn = found.getSource() instanceof Class<?> declaring ? declaring : place;
                throw new InvalidIdempotentMethodException(
                        "@" + found.getRoot().getType().getSimpleName() + ", which includes @" + type.getSimpleName()
                                + ", stands on " + declaredOn + ", where it makes no method idempotent.",
                        "Put it on each method that is to be idempotent, with a name of its own for each (scope or"
                                + " consumer), and let it have @Target(ElementType.METHOD).");
            }
        }
    }
}
