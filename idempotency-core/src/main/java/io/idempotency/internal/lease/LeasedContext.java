package io.idempotency.internal.lease;

import java.lang.reflect.Type;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.idempotency.internal.call.attempt.CallContext;
import io.idempotency.internal.call.attempt.IdempotentCall;
import io.idempotency.internal.call.attempt.Invocation;
import io.idempotency.internal.call.attempt.Rethrow;
import io.idempotency.internal.operation.CallOptions;

/** The context of a call that holds a lease. */
final class LeasedContext extends CallContext {

    private final HeldLease lease;

    private final CallSteps steps;

    LeasedContext(IdempotentCall call, HeldLease lease, CallSteps steps) {
        super(call, lease.claim().attempt());
        this.lease = lease;
        this.steps = steps;
    }

    @Override
    protected @Nullable String runningStep() {
        return steps.running();
    }

    @Override
    public void extendLease(Duration duration) {
        CallOptions.requireLease(duration);
        if (lease.conflictsWithSnapshot()) {
            throw new IllegalStateException("The lease of the " + intent()
                    + " cannot be extended, because the transaction of the method, or of its"
                    + " step, is REPEATABLE READ or SERIALIZABLE: it could not complete a row that has changed"
                    + " since it began. Use READ COMMITTED, or give the method a longer lease from the start");
        }
        if (!extend(duration)) {
            throw lease.lost();
        }
    }

    private boolean extend(Duration duration) {
        try {
            return lease.extend(duration);
        } catch (Throwable failure) {
            throw Rethrow.unchanged(failure);
        }
    }

    @Override
    protected @Nullable Object runStep(String name, boolean isInTransaction, Type type, Invocation work)
            throws Throwable {
        return isInTransaction ? steps.runInTransaction(name, type, work) : steps.run(name, type, work);
    }
}
