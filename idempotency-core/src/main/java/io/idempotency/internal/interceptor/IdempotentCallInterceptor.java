package io.idempotency.internal.interceptor;

import java.util.function.Supplier;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

import io.idempotency.internal.execution.IdempotentCallExecutor;
import io.idempotency.internal.operation.IdempotentOperation;
import io.idempotency.internal.operation.IdempotentOperationSource;

/** Hands calls to the {@link IdempotentCallExecutor}; placed immediately outside of the transaction. */
final class IdempotentCallInterceptor implements MethodInterceptor {

    private final IdempotentOperationSource operations;

    private final Supplier<IdempotentCallExecutor> boundary;

    IdempotentCallInterceptor(IdempotentOperationSource operations, Supplier<IdempotentCallExecutor> boundary) {
        this.operations = operations;
        this.boundary = boundary;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Object target = InvocationTarget.of(invocation);
        IdempotentOperation operation = operations.findOperation(invocation.getMethod(), target.getClass());
        return operation == null
                ? invocation.proceed()
                : boundary.get().execute(operation, target, invocation.getArguments(), () -> proceedOnce(invocation));
    }

    /** An invocation proceeds only once; its clone can be asked for as often as the boundary repeats the call. */
    private static @Nullable Object proceedOnce(MethodInvocation invocation) throws Throwable {
        return ((ProxyMethodInvocation) invocation).invocableClone().proceed();
    }
}
