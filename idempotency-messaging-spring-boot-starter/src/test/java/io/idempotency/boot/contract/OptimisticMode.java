package io.idempotency.boot.contract;

import java.lang.reflect.Method;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;

import io.idempotency.internal.operation.CallOperation;
import io.idempotency.internal.operation.CallOptions;
import io.idempotency.internal.operation.IdempotentOperation;
import io.idempotency.internal.operation.IdempotentOperationSource;
import io.idempotency.internal.operation.OperationKind;

/** Makes every call OPTIMISTIC that may be and whose annotation names no mode, so that the tests of calls hold for both. */
@Configuration(proxyBeanMethods = false)
class OptimisticMode {

    @Bean
    @Primary
    static IdempotentOperationSource optimisticOperationSource(
            @Qualifier("idempotentOperationSource") IdempotentOperationSource annotations) {
        return new IdempotentOperationSource() {
            @Override
            public List<OperationKind> kinds() {
                return annotations.kinds();
            }

            @Override
            public boolean isCandidateClass(Class<?> type) {
                return annotations.isCandidateClass(type);
            }

            @Override
            public @Nullable IdempotentOperation findOperation(Method method, Class<?> targetClass) {
                IdempotentOperation operation = annotations.findOperation(method, targetClass);
                return operation instanceof CallOperation call
                                && !call.options().mode().commitsClaimFirst()
                                && call.options().finalFailures().isEmpty()
                        ? optimistic(call)
                        : operation;
            }
        };
    }

    private static CallOperation optimistic(CallOperation operation) {
        CallOptions options = operation.options().withOptimisticMode();
        return new CallOperation(
                operation.method(),
                operation.scope(),
                operation.shared(),
                operation.keyExpression(),
                operation.fingerprintExpression(),
                options,
                operation.responseType(),
                operation.resultReference(),
                operation.storedArguments());
    }
}
