package io.idempotency.boot.properties;

import java.util.Arrays;
import java.util.List;

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

import io.idempotency.Idempotent;
import io.idempotency.inbox.IdempotentReceiver;

/** The warning about annotated beans in an application that has switched the library off. */
final class UnprotectedBeans implements SmartInitializingSingleton {

    private static final Logger logger = LoggerFactory.getLogger(UnprotectedBeans.class);

    private static final MethodFilter ANNOTATED =
            method -> AnnotatedElementUtils.hasAnnotation(method, Idempotent.class)
                    || AnnotatedElementUtils.hasAnnotation(method, IdempotentReceiver.class);

    private final ConfigurableListableBeanFactory beans;

    UnprotectedBeans(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
    }

    @Override
    public void afterSingletonsInstantiated() {
        List<String> unprotected = Arrays.stream(beans.getBeanDefinitionNames())
                .filter(this::isAnnotated)
                .toList();
        if (!unprotected.isEmpty()) {
            logger.warn(
                    "idempotency.enabled is false: {} with methods that have @Idempotent or @IdempotentReceiver run unprotected, and"
                            + " each repeat of their calls takes effect again: {}",
                    unprotected.size() == 1 ? "one bean" : unprotected.size() + " beans",
                    String.join(", ", unprotected));
        }
    }

    private boolean isAnnotated(String bean) {
        Class<?> type = AutoProxyUtils.determineTargetClass(beans, bean);
        if (type == null) {
            return false;
        }
        Class<?> userClass = ClassUtils.getUserClass(type);
        return (AnnotationUtils.isCandidateClass(userClass, Idempotent.class)
                        || AnnotationUtils.isCandidateClass(userClass, IdempotentReceiver.class))
                && !MethodIntrospector.selectMethods(userClass, ANNOTATED).isEmpty();
    }
}
