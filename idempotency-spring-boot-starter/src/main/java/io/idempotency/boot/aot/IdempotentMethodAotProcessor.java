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

import io.idempotency.Idempotent;
import io.idempotency.inbox.IdempotentReceiver;
import io.idempotency.outbox.OutboxHandler;

/**
 * The processor that registers the responses and payloads of idempotent methods and handlers for Jackson in a native
 * image, because possibly nothing else in the application reads or writes them as JSON.
 */
final class IdempotentMethodAotProcessor implements BeanRegistrationAotProcessor {

    private static final List<Class<? extends Annotation>> ANNOTATIONS =
            List.of(Idempotent.class, IdempotentReceiver.class, OutboxHandler.class);

    @Override
    public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean registeredBean) {
        Class<?> beanClass = registeredBean.getBeanClass();
        if (ANNOTATIONS.stream().noneMatch(type -> AnnotationUtils.isCandidateClass(beanClass, type))) {
            return null;
        }
        List<Method> methods = new ArrayList<>(MethodIntrospector.selectMethods(
                beanClass,
                (Method method) ->
                        ANNOTATIONS.stream().anyMatch(type -> AnnotatedElementUtils.hasAnnotation(method, type))));
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
