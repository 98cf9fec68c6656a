package io.idempotency.internal.transaction;

import io.idempotency.Intent;
import io.idempotency.TransactionFailedException;
import io.idempotency.TransactionMismatchException;

/** The exceptions of calls whose transaction must not commit. */
public final class TransactionFailures {

    private TransactionFailures() {}

    public static TransactionFailedException rollbackOnly(Intent intent) {
        return new TransactionFailedException(
                intent,
                "its transaction was marked rollback-only: let the exception that caused it leave the method, or"
                        + " throw one instead of setting rollback-only");
    }

    public static TransactionFailedException swallowedSqlError(Intent intent) {
        return new TransactionFailedException(
                intent,
                "a failed SQL statement was swallowed, so PostgreSQL would turn the commit into a rollback:"
                        + " let the exception leave the method, or set a savepoint before the statement");
    }

    public static TransactionFailedException transactionEnded(Intent intent) {
        return new TransactionFailedException(
                intent,
                "its method ended the transaction, or rolled back to a savepoint before the claim: never commit, roll back or"
                        + " switch auto-commit on the connection inside an idempotent method");
    }

    public static TransactionFailedException claimIsGone(Intent intent) {
        return new TransactionFailedException(
                intent, "its claim is gone: something in its transaction deleted or completed the row of the key");
    }

    public static TransactionMismatchException otherCommit(Intent intent) {
        return new TransactionMismatchException(
                intent,
                "its method was about to commit another transaction, such as one with the propagation REQUIRES_NEW, which"
                        + " would stay if this OPTIMISTIC attempt is undone. Do that work in the same transaction or after"
                        + " its commit, or use the mode TRANSACTIONAL");
    }
}
