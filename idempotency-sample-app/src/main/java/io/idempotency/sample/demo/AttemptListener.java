package io.idempotency.sample.demo;

import org.springframework.stereotype.Component;

import io.idempotency.messaging.MessageReceived;
import io.idempotency.messaging.MessageSendFailed;
import io.idempotency.messaging.MessageSent;
import io.idempotency.messaging.MessagingListener;
import io.idempotency.observation.CallCompleted;
import io.idempotency.observation.CallRetried;
import io.idempotency.observation.IdempotencyListener;

/** Learns from the library what each attempt met, and when there may be something new in the database. */
@Component
class AttemptListener implements IdempotencyListener, MessagingListener {

    private final CurrentAttempt current;

    private final StatePublisher state;

    AttemptListener(CurrentAttempt current, StatePublisher state) {
        this.current = current;
        this.state = state;
    }

    @Override
    public void callCompleted(CallCompleted event) {
        current.find().ifPresent(attempt -> attempt.completed(event.outcome()));
        state.mayHaveChanged();
    }

    @Override
    public void callRetried(CallRetried event) {
        current.find().ifPresent(Attempt::repeated);
    }

    @Override
    public void messageReceived(MessageReceived event) {
        state.mayHaveChanged();
    }

    @Override
    public void messageSent(MessageSent event) {
        state.mayHaveChanged();
    }

    @Override
    public void messageSendFailed(MessageSendFailed event) {
        state.mayHaveChanged();
    }
}
