package io.idempotency.internal.interceptor;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.core.MethodClassKey;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.interceptor.TransactionInterceptor;

import io.idempotency.internal.call.IdempotentCallExecutor;
import io.idempotency.internal.call.attempt.Effect;
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

    private final Map<MethodClassKey, IdempotentMethod> methods = new ConcurrentHashMap<>();

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
        IdempotentMethod method = find(invocation.getMethod(), target.getClass());
        return method == null
                ? invocation.proceed()
                : executor.get()
                        .execute(
                                method.operation,
                                target,
                                invocation.getArguments(),
                                new Call(invocation, method.transaction));
    }

    private @Nullable IdempotentMethod find(Method method, Class<?> targetClass) {
        MethodClassKey key = new MethodClassKey(method, targetClass);
        IdempotentMethod known = methods.get(key);
        if (known != null) {
            return known;
        }
        IdempotentOperation operation = operations.findOperation(method, targetClass);
        if (operation == null) {
            return null;
        }
        IdempotentMethod found = new IdempotentMethod(operation, transactions.find(method, targetClass));
        if (transactions.areAllKnown()) {
            methods.put(key, found);
        }
        return found;
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

    /**
     * A method with all that its calls need.
     *
     * @param transaction opens the transaction that the method declares; {@code null} if it declares none
     */
    private record IdempotentMethod(
            IdempotentOperation operation, @Nullable TransactionInterceptor transaction) {}

    /** A call of a method. */
    private record Call(
            MethodInvocation invocation, @Nullable TransactionInterceptor transaction) implements Effect {

        /** Proceeds with a clone, because an invocation proceeds only once, but another attempt may follow. */
        @Override
        public @Nullable Object run() throws Throwable {
            return ((ProxyMethodInvocation) invocation).invocableClone().proceed();
        }

        @Override
        public @Nullable Object within(TransactionalPart part) throws Throwable {
            return transaction == null ? part.in(null) : transaction.invoke(new PartInvocation(invocation, part));
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
