package io.idempotency.execution;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.idempotency.InvalidIdempotencyKeyException;
import io.idempotency.MissingIdempotencyKeyException;
import io.idempotency.Outcome;
import io.idempotency.observation.IdempotencyListener;
import io.idempotency.operation.IdempotentOperation;

/**
 * What surrounds the transaction of a call: key and fingerprint are computed before it, the outcome is reported after
 * it.
 */
public final class CallBoundary {

    private final CallBinding binding;

    private final IdempotencyListener listener;

    /**
     * Creates the boundary.
     *
     * @param binding computes keys and fingerprints
     * @param listener learns the outcome of every call
     */
    public CallBoundary(CallBinding binding, IdempotencyListener listener) {
        this.binding = binding;
        this.listener = listener;
    }

    /**
     * Surrounds a call of an annotated method.
     *
     * @param operation what its annotation says
     * @param target the bean's own object
     * @param arguments of the call
     * @param invocation the transaction with the claim and the method in it
     * @return the result of the method, or the stored one
     * @throws Throwable whatever the invocation threw, or an {@link io.idempotency.IdempotencyException}
     */
    public @Nullable Object call(
            IdempotentOperation operation, Object target, @Nullable Object[] arguments, Invocation invocation)
            throws Throwable {
        return call(operation, operation.scope(), () -> binding.bind(operation, target, arguments), invocation);
    }

    @Nullable Object call(Object site, String scope, Supplier<IdempotentCall> binder, Invocation invocation) throws Throwable {
        CallReport report = new CallReport(listener, scope);
        Throwable failure = null;
        try {
            return enter(site, bind(binder, report), report, invocation);
        } catch (Throwable thrown) {
            failure = thrown;
            throw thrown;
        } finally {
            report.callEnded(failure);
        }
    }

    private static IdempotentCall bind(Supplier<IdempotentCall> binder, CallReport report) {
        try {
            IdempotentCall call = binder.get();
            report.bound(call.intent());
            return call;
        } catch (MissingIdempotencyKeyException | InvalidIdempotencyKeyException refused) {
            report.found(Outcome.INVALID_KEY);
            throw refused;
        }
    }

    private static @Nullable Object enter(Object site, IdempotentCall call, CallReport report, Invocation invocation)
            throws Throwable {
        RunningCall running = RunningCall.enter(site, call, report);
        try {
            Object result = invocation.proceed();
            running.requireAcknowledgeable();
            return result;
        } finally {
            running.leave();
        }
    }
}
