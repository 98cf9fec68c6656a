package io.idempotency.boot.aot;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;

/**
 * A processor that registers the results and the parameters of annotated methods for Jackson in a native image, because
 * possibly nothing else in the application reads or writes them as JSON.
 */
public abstract class AnnotatedMethodAotProcessor implements BeanRegistrationAotProcessor {

    private final List<Class<? extends Annotation>> annotations;

    /**
     * Creates the processor.
     *
     * @param annotations annotations of the methods
     */
    protected AnnotatedMethodAotProcessor(List<Class<? extends Annotation>> annotations) {
        this.annotations = List.copyOf(annotations);
    }

    @Override
    public final @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean registeredBean) {
        Class<?> beanClass = registeredBean.getBeanClass();
        if (annotations.stream().noneMatch(type -> AnnotationUtils.isCandidateClass(beanClass, type))) {
            return null;
        }
        List<Method> methods = new ArrayList<>(MethodIntrospector.selectMethods(
                beanClass,
                (Method method) ->
                        annotations.stream().anyMatch(type -> AnnotatedElementUtils.hasAnnotation(method, type))));
        if (methods.isEmpty()) {
            return null;
        }
        return (generationContext, beanRegistrationCode) -> {
            BindingReflectionHintsRegistrar registrar = new BindingReflectionHintsRegistrar();
            for (Method method : methods) {
                registrar.registerReflectionHints(
                        generationContext.getRuntimeHints().reflection(), method.getGenericReturnType());
                registrar.registerReflectionHints(
                        generationContext.getRuntimeHints().reflection(), method.getGenericParameterTypes());
            }
        };
    }
}
