package io.idempotency.internal.interceptor;

import java.util.function.Supplier;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import io.idempotency.internal.execution.ClaimInTransaction;
import io.idempotency.internal.operation.IdempotentOperation;
import io.idempotency.internal.operation.IdempotentOperationSource;

/** The adapter to {@link ClaimInTransaction}, placed last, immediately before the method. */
final class IdempotentClaimInterceptor implements MethodInterceptor {

    private final IdempotentOperationSource operations;

    private final Supplier<ClaimInTransaction> executor;

    IdempotentClaimInterceptor(IdempotentOperationSource operations, Supplier<ClaimInTransaction> executor) {
        this.operations = operations;
        this.executor = executor;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        IdempotentOperation operation = operations.findOperation(
                invocation.getMethod(),
                IdempotentCallInterceptor.targetOf(invocation).getClass());
        return operation == null ? invocation.proceed() : executor.get().execute(operation, invocation::proceed);
    }
}
