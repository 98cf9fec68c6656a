package io.idempotency.internal.interceptor;

import java.util.function.Supplier;

import org.springframework.aop.support.DefaultPointcutAdvisor;

import io.idempotency.internal.call.IdempotentCallExecutor;
import io.idempotency.internal.operation.IdempotentOperationSource;

/** Adds the interceptor of idempotent methods to their proxies, in the place of the transactions that it opens. */
@SuppressWarnings("serial") // The superclass is serializable for historical reasons only.
public final class IdempotentAdvisor extends DefaultPointcutAdvisor {

    private final transient DeclaredTransactions transactions;

    public IdempotentAdvisor(
            IdempotentOperationSource operations,
            DeclaredTransactions transactions,
            Supplier<IdempotentCallExecutor> executor) {
        super(new IdempotentPointcut(operations), new IdempotentInterceptor(operations, transactions, executor));
        this.transactions = transactions;
    }

    @Override
    public int getOrder() {
        return transactions.order();
    }
}
