package io.idempotency.internal.interceptor;

import java.util.Arrays;
import java.util.function.Supplier;

import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.transaction.interceptor.TransactionInterceptor;

import io.idempotency.internal.execution.ClaimInTransaction;
import io.idempotency.internal.execution.IdempotentCallExecutor;
import io.idempotency.internal.operation.IdempotentOperationSource;

/**
 * The two advisors of an idempotent bean and their places in its chain. They are no beans themselves: an auto-proxy
 * creator would sort them by their order, and no order is behind that of a transaction.
 */
public final class IdempotentAdvisors {

    private final Advisor boundary;

    private final Advisor claim;

    /**
     * Creates the advisors.
     *
     * @param operations knows the idempotent methods
     * @param boundaryAdvice asked on the first call, so that proxies can be made before it exists
     * @param claimAdvice asked on the first call, so that proxies can be made before it exists
     */
    public IdempotentAdvisors(
            IdempotentOperationSource operations,
            Supplier<IdempotentCallExecutor> boundaryAdvice,
            Supplier<ClaimInTransaction> claimAdvice) {
        IdempotentPointcut pointcut = new IdempotentPointcut(operations);
        this.boundary = new DefaultPointcutAdvisor(pointcut, new IdempotentCallInterceptor(operations, boundaryAdvice));
        this.claim = new DefaultPointcutAdvisor(pointcut, new IdempotentClaimInterceptor(operations, claimAdvice));
    }

    Advisor claim() {
        return claim;
    }

    boolean isBoundary(Object interceptor) {
        return boundary.getAdvice() == interceptor;
    }

    boolean isClaim(Object interceptor) {
        return claim.getAdvice() == interceptor;
    }

    /** Puts the claim behind everything and the boundary immediately before the transaction. */
    void place(Advised proxy) {
        proxy.removeAdvisor(boundary);
        proxy.removeAdvisor(claim);
        Advisor[] others = proxy.getAdvisors();
        int transaction = indexOfTransaction(others);
        proxy.addAdvisor(transaction < 0 ? others.length : transaction, boundary);
        proxy.addAdvisor(claim);
    }

    private static int indexOfTransaction(Advisor[] advisors) {
        return Arrays.stream(advisors)
                .map(Advisor::getAdvice)
                .map(TransactionInterceptor.class::isInstance)
                .toList()
                .indexOf(true);
    }
}
