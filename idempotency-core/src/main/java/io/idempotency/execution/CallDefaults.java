package io.idempotency.execution;

import java.time.Duration;

import io.idempotency.DuplicatePolicy;
import io.idempotency.operation.CallTerms;

/**
 * What holds for calls that do not say otherwise.
 *
 * @param retention how long a key and its response are kept
 * @param waitTimeout how long to wait at most for another call that holds the key
 */
public record CallDefaults(Duration retention, Duration waitTimeout) {

    /** Shorter bounds give false answers on a loaded server. */
    private static final Duration SHORTEST_WAIT = Duration.ofMillis(50);

    /**
     * Checks the durations.
     *
     * @throws IllegalArgumentException if one of them is out of range
     */
    public CallDefaults {
        CallTerms.requireRetention(retention);
        CallTerms.requireWaitTimeout(waitTimeout);
    }

    Duration retentionOf(CallTerms terms) {
        return terms.retention() == null ? retention : terms.retention();
    }

    Duration waitLimitOf(CallTerms terms) {
        if (terms.onDuplicate() == DuplicatePolicy.FAIL) {
            return SHORTEST_WAIT;
        }
        return terms.waitTimeout() == null ? waitTimeout : terms.waitTimeout();
    }
}
