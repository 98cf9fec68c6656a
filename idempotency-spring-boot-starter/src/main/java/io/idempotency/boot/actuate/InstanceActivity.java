package io.idempotency.boot.actuate;

import java.time.Clock;
import java.time.Instant;
import java.util.EnumSet;

import io.idempotency.IdempotencyException;
import io.idempotency.IdempotencyKey;
import io.idempotency.Intent;
import io.idempotency.Outcome;
import io.idempotency.observation.CallCompleted;
import io.idempotency.observation.IdempotencyListener;
import io.idempotency.observation.MessageOutcome;
import io.idempotency.observation.MessageReceived;

/** What this process has called and received since it started. */
final class InstanceActivity implements IdempotencyListener {

    private final Activity<Outcome> calls;

    private final Activity<MessageOutcome> messages;

    private final Instant since;

    InstanceActivity(Clock clock) {
        EnumSet<Outcome> settled =
                EnumSet.of(Outcome.REPLAYED, Outcome.FAILURE_REPLAYED, Outcome.RESPONSE_EXPIRED, Outcome.UNREADABLE);
        EnumSet<Outcome> repeated = EnumSet.copyOf(settled);
        repeated.addAll(EnumSet.of(Outcome.IN_PROGRESS, Outcome.ABANDONED));
        this.calls = new Activity<>(Outcome.class, settled, repeated, clock);
        this.messages = new Activity<>(
                MessageOutcome.class,
                EnumSet.of(MessageOutcome.DUPLICATE),
                EnumSet.of(MessageOutcome.DUPLICATE, MessageOutcome.IN_PROGRESS),
                clock);
        this.since = clock.instant();
    }

    @Override
    public void callCompleted(CallCompleted event) {
        calls.count(event.scope(), event.outcome());
        if (calls.isRepeat(event.outcome())) {
            calls.countRepeat(event.intent());
        }
    }

    @Override
    public void messageReceived(MessageReceived event) {
        messages.count(event.consumer(), event.outcome());
        String messageId = event.messageId();
        if (messageId != null && messages.isRepeat(event.outcome())) {
            try {
                messages.countRepeat(new Intent(event.consumer(), "", new IdempotencyKey(messageId)));
            } catch (IllegalArgumentException | IdempotencyException malformed) {
                // Only what can be looked up is worth showing.
            }
        }
    }

    Activity<Outcome> calls() {
        return calls;
    }

    Activity<MessageOutcome> messages() {
        return messages;
    }

    Instant since() {
        return since;
    }
}
