package io.idempotency.internal.transaction;

import java.util.ArrayList;
import java.util.List;

import org.springframework.transaction.support.TransactionSynchronization;

/** A synchronization that detects a rollback to a savepoint before its work, which undoes the work. */
public abstract class SavepointAwareSynchronization implements TransactionSynchronization {

    private final List<Object> laterSavepoints = new ArrayList<>(0);

    private boolean undone;

    @Override
    public final void savepoint(Object savepoint) {
        laterSavepoints.add(savepoint);
    }

    @Override
    public final void savepointRollback(Object savepoint) {
        if (!laterSavepoints.contains(savepoint)) {
            undone = true;
            undone();
        }
    }

    protected final boolean isUndone() {
        return undone;
    }

    /** Is called after each rollback to a savepoint that undoes the work. */
    protected void undone() {}
}
