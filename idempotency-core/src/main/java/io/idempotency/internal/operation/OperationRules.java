package io.idempotency.internal.operation;

import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.springframework.transaction.interceptor.TransactionAttribute;

import io.idempotency.internal.response.ResponseMapper;

/** The rules for idempotent methods. Of each method the first violation is reported. */
public final class OperationRules {

    private final List<OperationRule> rules = List.of(
            new BeanMethodRule(),
            new OverridableMethodRule(),
            new ReturnTypeRule(),
            new ManualAcknowledgementRule(),
            new FingerprintableArgumentsRule(),
            new FingerprintOfKeyRule(),
            new UploadInPayloadRule(),
            new NotCacheableRule(),
            new NoHandlerToResumeRule(),
            new KeyExpressionRule());

    private final PlacementRule placementRule;

    private final TransactionRule transactionRule = new TransactionRule();

    private final TransactionalEventListenerRule listenerRule = new TransactionalEventListenerRule();

    private final StorableResponseRule storableResponseRule;

    private final StorableArgumentsRule storableArgumentsRule;

    /**
     * Creates the rules.
     *
     * @param responses checks storable types; called when all singletons are ready
     * @param resumes returns whether calls may be resumed; called then, too
     */
    public OperationRules(List<OperationKind> kinds, Supplier<ResponseMapper> responses, BooleanSupplier resumes) {
        this.placementRule = new PlacementRule(kinds);
        this.storableResponseRule = new StorableResponseRule(responses);
        this.storableArgumentsRule = new StorableArgumentsRule(responses, resumes);
    }

    /**
     * Checks that a class has the annotations on methods only.
     *
     * @throws io.idempotency.InvalidIdempotentMethodException if one is at a place where it would be ignored
     */
    public void checkPlacement(Class<?> targetClass) {
        placementRule.check(targetClass);
    }

    /**
     * Checks a method on its own.
     *
     * @throws io.idempotency.InvalidIdempotentMethodException if a rule is violated
     */
    public void check(IdempotentOperation operation, Class<?> targetClass) {
        rules.forEach(rule -> rule.check(operation, targetClass));
    }

    /**
     * Checks the transaction of a method.
     *
     * @param isAsync whether the method runs on another thread than its caller
     * @throws io.idempotency.InvalidIdempotentMethodException if a rule is violated
     */
    public void checkTransaction(
            IdempotentOperation operation, @Nullable TransactionAttribute transaction, boolean isAsync) {
        if (transaction != null) {
            transactionRule.check(operation, transaction);
        }
        listenerRule.check(operation, transaction, isAsync);
    }

    /**
     * Checks with the codecs of the application what is stored of a call: its response, and its arguments if it is resumed.
     *
     * @throws io.idempotency.InvalidIdempotentMethodException if a rule is violated
     */
    public void checkStored(IdempotentOperation operation) {
        if (operation instanceof CallOperation call) {
            storableResponseRule.check(call);
            storableArgumentsRule.check(call);
        }
    }
}
