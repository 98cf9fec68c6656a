package io.idempotency.internal.call;

import io.idempotency.internal.transaction.SqlStates;
import io.idempotency.observation.CallCompleted;
import io.idempotency.observation.CallObserver;
import io.idempotency.observation.CallRetried;
import io.idempotency.observation.IdempotencyListener;
import io.idempotency.observation.StepEnded;

/** Publishes the outcome of one request as events. */
final class CallOutcomePublisher implements OutcomePublisher {

    private final IdempotencyListener listener;

    private final String scope;

    private final CallObserver.Observed<CallCompleted> observed;

    CallOutcomePublisher(IdempotencyListener listener, String scope, CallObserver.Observed<CallCompleted> observed) {
        this.listener = listener;
        this.scope = scope;
        this.observed = observed;
    }

    @Override
    public void retried(IdempotentCall call, int attempts, Throwable failure) {
        listener.callRetried(new CallRetried(call.intent(), attempts, SqlStates.of(failure), failure));
    }

    @Override
    public void stepEnded(IdempotentCall call, String name, boolean isReplayed) {
        listener.stepEnded(new StepEnded(call.intent(), name, isReplayed));
    }

    @Override
    public void returns(Ended call) {
        observed.ended(event(call));
    }

    @Override
    public void ended(Ended call) {
        listener.callCompleted(event(call));
    }

    private CallCompleted event(Ended call) {
        return new CallCompleted(scope, call.intent(), call.outcome(), call.attempt(), call.duration(), call.failure());
    }
}
