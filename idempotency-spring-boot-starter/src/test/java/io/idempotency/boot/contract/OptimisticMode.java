package io.idempotency.boot.contract;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;

import io.idempotency.internal.operation.CallOptions;
import io.idempotency.internal.operation.IdempotentOperation;
import io.idempotency.internal.operation.IdempotentOperationSource;

/** Makes every call OPTIMISTIC that may be and whose annotation names no mode, so that the tests of calls hold for both. */
@Configuration(proxyBeanMethods = false)
class OptimisticMode {

    @Bean
    @Primary
    static IdempotentOperationSource optimisticOperationSource(
            @Qualifier("idempotentOperationSource") IdempotentOperationSource annotations) {
        return new IdempotentOperationSource() {
            @Override
            public boolean isCandidateClass(Class<?> type) {
                return annotations.isCandidateClass(type);
            }

            @Override
            public @Nullable IdempotentOperation findOperation(Method method, Class<?> targetClass) {
                IdempotentOperation operation = annotations.findOperation(method, targetClass);
                return operation == null
                                || operation.message() != null
                                || operation.options().isLeased()
                                || !operation.options().finalFailures().isEmpty()
                        ? operation
                        : optimistic(operation);
            }
        };
    }

    private static IdempotentOperation optimistic(IdempotentOperation operation) {
        CallOptions options = operation.options().withOptimisticMode();
        return new IdempotentOperation(
                operation.method(),
                operation.scope(),
                operation.keyExpression(),
                operation.fingerprintExpression(),
                options,
                operation.responseType(),
                operation.resultReference(),
                operation.storedArguments(),
                operation.message());
    }
}
