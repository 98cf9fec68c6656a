package io.idempotency.internal.operation;

import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.AnnotatedElementUtils;

import io.idempotency.InvalidIdempotentMethodException;

/**
 * The rule against {@code @Bean} methods: the container calls them once to create the bean, and calls of the bean do
 * not pass them.
 */
final class BeanMethodRule implements OperationRule {

    @Override
    public void check(IdempotentOperation operation, Class<?> targetClass) {
        if (AnnotatedElementUtils.hasAnnotation(operation.method(), Bean.class)) {
            throw new InvalidIdempotentMethodException(
                    operation.annotation() + " stands on a @Bean method, which makes a bean and protects none of its"
                            + " methods: " + operation.describe() + ".",
                    "Put it on the methods of the bean's class that are to be idempotent.");
        }
    }
}
