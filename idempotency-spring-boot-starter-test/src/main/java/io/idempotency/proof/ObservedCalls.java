package io.idempotency.proof;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;

import org.jspecify.annotations.Nullable;

import io.idempotency.Outcome;
import io.idempotency.observation.CallCompleted;
import io.idempotency.observation.IdempotencyListener;

/** What the library says of the calls of a run. */
final class ObservedCalls implements IdempotencyListener {

    static final ObservedCalls INSTANCE = new ObservedCalls();

    private final Set<String> keys = new ConcurrentSkipListSet<>();

    private final Set<Throwable> finalFailures =
            Collections.synchronizedSet(Collections.newSetFromMap(new IdentityHashMap<>()));

    private volatile boolean payloadRefused;

    private ObservedCalls() {}

    @Override
    public void callCompleted(CallCompleted event) {
        if (event.intent() != null) {
            keys.add(event.intent().toString());
        }
        payloadRefused |= event.outcome() == Outcome.KEY_REUSED;
        if (event.failure() != null
                && (event.outcome() == Outcome.FAILED_FINAL || event.outcome() == Outcome.FAILURE_REPLAYED)) {
            finalFailures.add(event.failure());
        }
    }

    /**
     * Takes the end of a delivery.
     *
     * @param key its message; {@code null} if its id was refused
     */
    void delivered(@Nullable String key, boolean isPayloadRefused) {
        if (key != null) {
            keys.add(key);
        }
        payloadRefused |= isPayloadRefused;
    }

    void reset() {
        keys.clear();
        finalFailures.clear();
        payloadRefused = false;
    }

    Set<String> keys() {
        return new TreeSet<>(keys);
    }

    /** Returns whether a call ended with the failure, which was recorded as final. */
    boolean isFinal(Throwable failure) {
        return finalFailures.contains(failure);
    }

    boolean hasFinalFailure() {
        return !finalFailures.isEmpty();
    }

    boolean isPayloadRefused() {
        return payloadRefused;
    }
}
