package io.idempotency.internal.operation;

import java.util.List;
import java.util.function.Supplier;

import org.springframework.transaction.interceptor.TransactionAttribute;

import io.idempotency.internal.codec.ResponseMapper;

/** All rules that an idempotent method must keep; the first one that is broken is reported. */
public final class OperationRules {

    private final List<OperationRule> rules = List.of(
            new BeanMethodRule(),
            new OverridableMethodRule(),
            new ReturnTypeRule(),
            new FingerprintableArgumentsRule(),
            new NotCacheableRule());

    private final PlacementRule placementRule = new PlacementRule();

    private final TransactionRule transactionRule = new TransactionRule();

    private final StorableResponseRule storableResponseRule;

    /**
     * Creates the rules.
     *
     * @param responses knows what can be stored; asked when all singletons are ready
     */
    public OperationRules(Supplier<ResponseMapper> responses) {
        this.storableResponseRule = new StorableResponseRule(responses);
    }

    /**
     * Checks that the annotations of a class stand on methods only.
     *
     * @param targetClass the class of a bean's own object
     * @throws io.idempotency.InvalidIdempotentMethodException if one stands where it would be ignored
     */
    public void checkPlacement(Class<?> targetClass) {
        placementRule.check(targetClass);
    }

    /**
     * Checks a method by itself.
     *
     * @param operation what its annotation says
     * @param targetClass the class of the bean's own object
     * @throws io.idempotency.InvalidIdempotentMethodException if a rule is broken
     */
    public void check(IdempotentOperation operation, Class<?> targetClass) {
        rules.forEach(rule -> rule.check(operation, targetClass));
    }

    /**
     * Checks the transaction that a method declares.
     *
     * @param operation what its annotation says
     * @param transaction what the transaction interceptor round it knows
     * @throws io.idempotency.InvalidIdempotentMethodException if a rule is broken
     */
    public void checkTransaction(IdempotentOperation operation, TransactionAttribute transaction) {
        transactionRule.check(operation, transaction);
    }

    /**
     * Checks what a method returns against the codecs of the application, when these are ready.
     *
     * @param operation what its annotation says
     * @throws io.idempotency.InvalidIdempotentMethodException if a rule is broken
     */
    public void checkResponse(IdempotentOperation operation) {
        storableResponseRule.check(operation);
    }
}
