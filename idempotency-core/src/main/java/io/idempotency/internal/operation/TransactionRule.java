package io.idempotency.internal.operation;

import java.util.Set;

import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.interceptor.NoRollbackRuleAttribute;
import org.springframework.transaction.interceptor.RuleBasedTransactionAttribute;
import org.springframework.transaction.interceptor.TransactionAttribute;

import io.idempotency.InvalidIdempotentMethodException;

/** The rule that the transaction of a method can write and is rolled back after every failure. */
final class TransactionRule {

    private static final Set<Integer> WITHOUT_TRANSACTION =
            Set.of(TransactionDefinition.PROPAGATION_NOT_SUPPORTED, TransactionDefinition.PROPAGATION_NEVER);

    void check(IdempotentOperation operation, TransactionAttribute transaction) {
        if (transaction.isReadOnly()) {
            throw new InvalidIdempotentMethodException(
                    "The idempotent method " + operation.describe()
                            + " has a read-only transaction, in which no key can be claimed.",
                    "Remove readOnly = true from its @Transactional, or declare @Transactional on the method itself.");
        }
        if (!operation.options().mode().commitsClaimFirst()
                && WITHOUT_TRANSACTION.contains(transaction.getPropagationBehavior())) {
            throw new InvalidIdempotentMethodException(
                    "The idempotent method " + operation.describe()
                            + " runs outside of transactions, so claim and effect cannot commit together.",
                    "Use the propagation REQUIRED or REQUIRES_NEW"
                            + (operation instanceof CallOperation ? ", or the mode LEASED." : "."));
        }
        if (operation.options().mode().commitsClaimFirst()
                && transaction.getPropagationBehavior() == TransactionDefinition.PROPAGATION_MANDATORY) {
            throw new InvalidIdempotentMethodException(
                    "The leased method " + operation.describe()
                            + " needs an open transaction, but its lease has to be committed before any transaction.",
                    "Use the propagation REQUIRED, or the mode TRANSACTIONAL.");
        }
        if (transaction instanceof RuleBasedTransactionAttribute rules
                && rules.getRollbackRules().stream().anyMatch(NoRollbackRuleAttribute.class::isInstance)) {
            throw new InvalidIdempotentMethodException(
                    "The idempotent method " + operation.describe()
                            + " has a rule not to roll back for some exceptions: its effect would be committed although"
                            + " the caller gets an exception.",
                    "Remove noRollbackFor or dontRollbackOn; return a value for outcomes that are to be kept.");
        }
    }
}
