package io.idempotency.execution;

import org.springframework.core.Ordered;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Refuses the commit of a transaction in which something failed, whoever manages it: with JPA the COMMIT of an aborted
 * transaction would report success.
 */
final class DoomedTransaction implements TransactionSynchronization {

    private final LaterSavepoints laterSavepoints = new LaterSavepoints();

    private final Throwable failure;

    private boolean undone;

    private DoomedTransaction(Throwable failure) {
        this.failure = failure;
    }

    /** The open transaction of this thread. */
    static void by(Throwable failure) {
        TransactionSynchronizationManager.registerSynchronization(new DoomedTransaction(failure));
    }

    /** First, because nothing that others do in an aborted transaction can succeed. */
    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }

    @Override
    public void savepoint(Object savepoint) {
        laterSavepoints.add(savepoint);
    }

    /** One that was there before the failure takes it back. */
    @Override
    public void savepointRollback(Object savepoint) {
        undone |= !laterSavepoints.contain(savepoint);
    }

    @Override
    public void beforeCommit(boolean readOnly) {
        if (!undone) {
            throw new UnexpectedRollbackException(
                    "The transaction was rolled back, because messages could not be claimed or published in it: let that"
                            + " exception leave the method",
                    failure);
        }
    }
}
