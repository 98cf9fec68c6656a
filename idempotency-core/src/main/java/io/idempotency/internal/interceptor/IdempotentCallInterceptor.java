package io.idempotency.internal.interceptor;

import java.util.function.Supplier;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

import io.idempotency.internal.execution.IdempotentCallExecutor;
import io.idempotency.internal.operation.IdempotentOperation;
import io.idempotency.internal.operation.IdempotentOperationSource;

/** The adapter to the {@link IdempotentCallExecutor}, placed immediately outside of the transaction. */
final class IdempotentCallInterceptor implements MethodInterceptor {

    private final IdempotentOperationSource operations;

    private final Supplier<IdempotentCallExecutor> executor;

    IdempotentCallInterceptor(IdempotentOperationSource operations, Supplier<IdempotentCallExecutor> executor) {
        this.operations = operations;
        this.executor = executor;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Object target = targetOf(invocation);
        IdempotentOperation operation = operations.findOperation(invocation.getMethod(), target.getClass());
        return operation == null
                ? invocation.proceed()
                : executor.get().execute(operation, target, invocation.getArguments(), () -> proceedOnce(invocation));
    }

    /** Proceeds with a clone, because an invocation proceeds only once, but the executor may repeat the call. */
    private static @Nullable Object proceedOnce(MethodInvocation invocation) throws Throwable {
        return ((ProxyMethodInvocation) invocation).invocableClone().proceed();
    }

    /** Returns the bean's own object. */
    static Object targetOf(MethodInvocation invocation) {
        Object target = invocation.getThis();
        if (target == null) {
            throw new IllegalStateException("An idempotent method needs an object to be called on: "
                    + invocation.getMethod() + " was called on a proxy without a target");
        }
        return target;
    }
}
