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
 * The two advisors of an idempotent bean and their places in its chain. They are no beans, because an auto-proxy
 * creator would sort them by their order, and no order is after that of the transaction.
 */
public final class IdempotentAdvisors {

    private final Advisor call;

    private final Advisor claim;

    /**
     * Creates the advisors.
     *
     * @param operations source of the idempotent operations
     * @param callExecutor executor outside of the transaction, created on the first call, so that proxies can exist
     *     before
     * @param claimExecutor executor inside of the transaction, created on the first call as well
     */
    public IdempotentAdvisors(
            IdempotentOperationSource operations,
            Supplier<IdempotentCallExecutor> callExecutor,
            Supplier<ClaimInTransaction> claimExecutor) {
        IdempotentPointcut pointcut = new IdempotentPointcut(operations);
        this.call = new DefaultPointcutAdvisor(pointcut, new IdempotentCallInterceptor(operations, callExecutor));
        this.claim = new DefaultPointcutAdvisor(pointcut, new IdempotentClaimInterceptor(operations, claimExecutor));
    }

    Advisor claim() {
        return claim;
    }

    boolean isCall(Object interceptor) {
        return call.getAdvice() == interceptor;
    }

    boolean isClaim(Object interceptor) {
        return claim.getAdvice() == interceptor;
    }

    /** Places the claim last and the call immediately before the transaction. */
    void place(Advised proxy) {
        proxy.removeAdvisor(call);
        proxy.removeAdvisor(claim);
        Advisor[] others = proxy.getAdvisors();
        int transaction = indexOfTransaction(others);
        proxy.addAdvisor(transaction < 0 ? others.length : transaction, call);
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
