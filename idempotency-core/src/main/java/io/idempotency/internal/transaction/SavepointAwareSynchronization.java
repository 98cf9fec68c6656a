package io.idempotency.internal.transaction;

import java.util.ArrayList;
import java.util.List;

import org.springframework.transaction.support.TransactionSynchronization;

/** Learns whether a rollback to a savepoint undoes what was done when the synchronization was registered. */
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

    /** Is called after each rollback that undoes it. */
    protected void undone() {}
}
