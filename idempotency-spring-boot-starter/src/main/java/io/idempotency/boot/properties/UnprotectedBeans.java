package io.idempotency.boot.properties;

import java.lang.annotation.Annotation;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils.MethodFilter;

import io.idempotency.internal.operation.OperationKind;

/** The warning about annotated beans in an application that has switched the library off. */
final class UnprotectedBeans implements SmartInitializingSingleton {

    private static final Logger logger = LoggerFactory.getLogger(UnprotectedBeans.class);

    private final ConfigurableListableBeanFactory beans;

    private final List<OperationKind> kinds;

    /**
     * Creates the warning.
     *
     * @param kinds kinds of methods that are not idempotent now
     */
    UnprotectedBeans(ConfigurableListableBeanFactory beans, List<OperationKind> kinds) {
        this.beans = beans;
        this.kinds = kinds;
    }

    @Override
    public void afterSingletonsInstantiated() {
        List<String> unprotected = Arrays.stream(beans.getBeanDefinitionNames())
                .filter(this::isAnnotated)
                .toList();
        if (!unprotected.isEmpty()) {
            logger.warn(
                    "idempotency.enabled is false: {} with methods that have {} run unprotected, and"
                            + " each repeat of their calls takes effect again: {}",
                    unprotected.size() == 1 ? "one bean" : unprotected.size() + " beans",
                    kinds.stream().map(OperationKind::displayName).collect(Collectors.joining(" or ")),
                    String.join(", ", unprotected));
        }
    }

    private boolean isAnnotated(String bean) {
        Class<?> type = AutoProxyUtils.determineTargetClass(beans, bean);
        if (type == null) {
            return false;
        }
        Class<?> userClass = ClassUtils.getUserClass(type);
        return kinds.stream()
                .map(OperationKind::annotation)
                .anyMatch(annotation -> hasMethodWith(annotation, userClass));
    }

    private static boolean hasMethodWith(Class<? extends Annotation> annotation, Class<?> type) {
        MethodFilter annotated = method -> AnnotatedElementUtils.hasAnnotation(method, annotation);
        return AnnotationUtils.isCandidateClass(type, annotation)
                && !MethodIntrospector.selectMethods(type, annotated).isEmpty();
    }
}
