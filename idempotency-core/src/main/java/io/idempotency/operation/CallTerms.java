package io.idempotency.operation;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.idempotency.DuplicatePolicy;

/**
 * How a key is held: what an operation says for itself, and the application's defaults for what it leaves open.
 *
 * @param retention how long the key and its response are kept; {@code null} for the default
 * @param onDuplicate what to do when another call holds the key
 * @param waitTimeout how long to wait for that call at most; {@code null} for the default
 */
public record CallTerms(
        @Nullable Duration retention,
        DuplicatePolicy onDuplicate,
        @Nullable Duration waitTimeout) {

    private static final Duration LONGEST_RETENTION = Duration.ofDays(365_000);

    private static final Duration LONGEST_WAIT = Duration.ofMillis(Integer.MAX_VALUE);

    /** Terms that leave everything to the application's defaults. */
    public static final CallTerms DEFAULTS = new CallTerms(null, DuplicatePolicy.WAIT, null);

    /**
     * Checks the durations.
     *
     * @throws IllegalArgumentException if one of them is given and is out of range
     */
    public CallTerms {
        if (retention != null) {
            requireRetention(retention);
        }
        if (waitTimeout != null) {
            requireWaitTimeout(waitTimeout);
        }
    }

    /**
     * Checks how long a key is kept.
     *
     * @param retention at least a millisecond, at most a thousand years
     * @return the same duration
     * @throws IllegalArgumentException if it is out of range
     */
    public static Duration requireRetention(Duration retention) {
        return requireInRange("retention", retention, LONGEST_RETENTION);
    }

    /**
     * Checks how long a call waits.
     *
     * @param waitTimeout at least a millisecond, at most what PostgreSQL's {@code statement_timeout} takes, 24.8 days
     * @return the same duration
     * @throws IllegalArgumentException if it is out of range
     */
    public static Duration requireWaitTimeout(Duration waitTimeout) {
        return requireInRange("wait timeout", waitTimeout, LONGEST_WAIT);
    }

    private static Duration requireInRange(String name, Duration duration, Duration longest) {
        if (duration.compareTo(Duration.ofMillis(1)) < 0 || duration.compareTo(longest) > 0) {
            throw new IllegalArgumentException(
                    "The " + name + " must be at least one millisecond and at most " + longest + ", not " + duration);
        }
        return duration;
    }
}
