package io.idempotency.internal.interceptor;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Method;
import java.util.function.Supplier;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.interceptor.TransactionInterceptor;

import io.idempotency.internal.call.Effect;
import io.idempotency.internal.call.IdempotentCallExecutor;
import io.idempotency.internal.operation.IdempotentOperation;
import io.idempotency.internal.operation.IdempotentOperationSource;

/**
 * Makes the calls of idempotent methods. Each attempt opens the transaction that the method declares. What the proxy has between
 * this interceptor and the method is part of the effect: it runs when the method does, and not on a replay.
 */
final class IdempotentInterceptor implements MethodInterceptor {

    private final IdempotentOperationSource operations;

    private final DeclaredTransactions transactions;

    private final Supplier<IdempotentCallExecutor> executor;

    IdempotentInterceptor(
            IdempotentOperationSource operations,
            DeclaredTransactions transactions,
            Supplier<IdempotentCallExecutor> executor) {
        this.operations = operations;
        this.transactions = transactions;
        this.executor = executor;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Object target = targetOf(invocation);
        IdempotentOperation operation = operations.findOperation(invocation.getMethod(), target.getClass());
        return operation == null
                ? invocation.proceed()
                : executor.get().execute(operation, target, invocation.getArguments(), new Call(invocation));
    }

    /** Returns the bean's own object. */
    private static Object targetOf(MethodInvocation invocation) {
        Object target = invocation.getThis();
        if (target == null) {
            throw new IllegalStateException("An idempotent method needs an object to be called on: "
                    + invocation.getMethod() + " was called on a proxy without a target");
        }
        return target;
    }

    /** A call of a method. */
    private final class Call implements Effect {

        private final MethodInvocation invocation;

        Call(MethodInvocation invocation) {
            this.invocation = invocation;
        }

        /** Proceeds with a clone, because an invocation proceeds only once, but another attempt may follow. */
        @Override
        public @Nullable Object run() throws Throwable {
            return ((ProxyMethodInvocation) invocation).invocableClone().proceed();
        }

        @Override
        public @Nullable Object within(TransactionalPart part) throws Throwable {
            TransactionInterceptor declared = transactions.find(
                    invocation.getMethod(), targetOf(invocation).getClass());
            return declared == null ? part.in(null) : declared.invoke(new PartInvocation(invocation, part));
        }
    }

    /**
     * The invocation of Spring's interceptor, which opens the transaction: it proceeds with the part in the place of the method.
     */
    private record PartInvocation(MethodInvocation call, Effect.TransactionalPart part) implements MethodInvocation {

        /** A method that supports transactions may have none. */
        @Override
        public @Nullable Object proceed() throws Throwable {
            TransactionStatus status = TransactionAspectSupport.currentTransactionStatus();
            return part.in(status.hasTransaction() ? status : null);
        }

        @Override
        public Method getMethod() {
            return call.getMethod();
        }

        @Override
        public @Nullable Object[] getArguments() {
            return call.getArguments();
        }

        @Override
        public @Nullable Object getThis() {
            return call.getThis();
        }

        @Override
        public AccessibleObject getStaticPart() {
            return call.getStaticPart();
        }
    }
}
