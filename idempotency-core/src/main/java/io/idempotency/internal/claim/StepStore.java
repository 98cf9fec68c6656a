package io.idempotency.internal.claim;

import java.sql.Connection;
import java.util.List;

/** The store of the steps of leased calls. They are part of their request's row, and deleted with it. */
public interface StepStore {

    /**
     * Records a step.
     *
     * @return {@code false} if the claim of the fence does not hold the key any more, or the step is recorded already
     */
    boolean recordStep(Connection connection, Fence fence, RecordedStep step);

    /**
     * Does the same in a transaction of its own.
     *
     * @param connection a connection without auto-commit and without an open transaction
     */
    boolean recordStepAndCommit(Connection connection, Fence fence, RecordedStep step);

    /** Finds the steps of a request. */
    List<RecordedStep> findSteps(Connection connection, Fence fence);
}
