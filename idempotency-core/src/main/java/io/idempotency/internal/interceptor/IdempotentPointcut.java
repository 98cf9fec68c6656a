package io.idempotency.internal.interceptor;

import java.lang.reflect.Method;

import org.springframework.aop.support.StaticMethodMatcherPointcut;

import io.idempotency.internal.operation.IdempotentOperationSource;

/** The pointcut of all methods that are idempotent operations. */
final class IdempotentPointcut extends StaticMethodMatcherPointcut {

    private final IdempotentOperationSource operations;

    IdempotentPointcut(IdempotentOperationSource operations) {
        this.operations = operations;
        setClassFilter(operations::isCandidateClass);
    }

    @Override
    public boolean matches(Method method, Class<?> targetClass) {
        return operations.findOperation(method, targetClass) != null;
    }
}
