package io.idempotency.boot.logging;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

import io.idempotency.Outcome;
import io.idempotency.observation.CallCompleted;
import io.idempotency.observation.CallRetried;
import io.idempotency.observation.IdempotencyListener;

/**
 * The log of calls: one line for each, and one for each retry. The lines do not repeat the exception that the caller gets,
 * because the caller logs it.
 */
final class CallLog implements IdempotencyListener {

    /** The logger of calls, named by feature so that its level can be set. */
    static final String CALLS = "io.idempotency.calls";

    private final Logger calls = LoggerFactory.getLogger(CALLS);

    private final LoggedKeys keys;

    CallLog(LoggedKeys keys) {
        this.keys = keys;
    }

    @Override
    public void callCompleted(CallCompleted event) {
        Wording wording = wordingOf(event.outcome());
        if (!calls.isEnabledForLevel(wording.level())) {
            return;
        }
        LogLine line = LogLine.at(calls, wording.level()).add("scope", event.scope());
        String key = keys.add(line, "key", event.intent());
        line.add("outcome", event.outcome().tag())
                .add("attempt", event.attempt())
                .add("duration_ms", event.duration().toMillis())
                .add(event.failure())
                .log("Call {}in {} {}", key, event.scope(), wording.text());
    }

    @Override
    public void callRetried(CallRetried event) {
        if (!calls.isInfoEnabled()) {
            return;
        }
        LogLine line = LogLine.at(calls, Level.INFO).add("scope", event.intent().scope());
        String key = keys.add(line, "key", event.intent());
        line.add("execution", event.execution())
                .add("sqlstate", event.sqlState())
                .add(event.failure())
                .log(
                        "Call {}in {} is repeated: {}",
                        key,
                        event.intent().scope(),
                        LogLine.retried(event.execution(), event.sqlState()));
    }

    private static Wording wordingOf(Outcome outcome) {
        return switch (outcome) {
            case EXECUTED -> new Wording(Level.DEBUG, "was executed");
            case RETRIED -> new Wording(Level.DEBUG, "was executed after an attempt that had failed");
            case FAILED -> new Wording(Level.DEBUG, "failed");
            case REPLAYED -> new Wording(Level.INFO, "was replayed: it had succeeded before");
            case FAILURE_REPLAYED -> new Wording(Level.INFO, "was refused: it had failed for good before");
            case IN_PROGRESS -> new Wording(Level.INFO, "was refused: another call with its key takes too long");
            case INVALID_KEY -> new Wording(Level.INFO, "was refused: its key or caller is not valid");
            case RECOVERED -> new Wording(Level.WARN, "was executed: the lease of an earlier call had expired");
            case KEY_REUSED -> new Wording(Level.WARN, "was refused: its key has been used with another payload");
            case RESPONSE_EXPIRED ->
                new Wording(Level.WARN, "was refused: it had succeeded before, and its response has expired");
            case UNREADABLE ->
                new Wording(Level.WARN, "was refused: it had succeeded before, and its response cannot be read");
            case ABANDONED ->
                new Wording(Level.WARN, "was refused: nobody knows whether an earlier call had its effect; find out");
            case LEASE_LOST -> new Wording(Level.WARN, "lost its lease before it was done");
            case FAILED_FINAL -> new Wording(Level.WARN, "failed for good: every repeat gets the same failure");
        };
    }

    private record Wording(Level level, String text) {}
}
