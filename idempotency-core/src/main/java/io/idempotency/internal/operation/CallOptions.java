package io.idempotency.internal.operation;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.idempotency.DuplicatePolicy;
import io.idempotency.IdempotencyMode;

/**
 * How a key is held: what an operation says for itself, and the application's defaults for what it leaves open.
 *
 * @param retention how long the key and its response are kept; {@code null} for the default
 * @param onDuplicate what to do when another call holds the key
 * @param waitTimeout how long to wait for that call at most; {@code null} for the default
 * @param mode when the claim is committed
 * @param lease how long a committed claim holds the key at most; {@code null} for the default
 * @param retryLeased whether a leased method that has started may be run again by a retry
 * @param maxAttempts how often the method is executed at most in one call; 0 for the default
 * @param finalFailures exceptions that are the stable answer to the intent
 * @param lossyResponse whether a replay is meant to show less than the first answer
 */
public record CallOptions(
        @Nullable Duration retention,
        DuplicatePolicy onDuplicate,
        @Nullable Duration waitTimeout,
        IdempotencyMode mode,
        @Nullable Duration lease,
        boolean retryLeased,
        int maxAttempts,
        List<Class<? extends Throwable>> finalFailures,
        boolean lossyResponse) {

    private static final Duration LONGEST_RETENTION = Duration.ofDays(365_000);

    private static final Duration LONGEST_HOLD = Duration.ofMillis(Integer.MAX_VALUE);

    /** Terms that leave everything to the application's defaults. */
    public static final CallOptions DEFAULTS = new CallOptions(
            null, DuplicatePolicy.WAIT, null, IdempotencyMode.TRANSACTIONAL, null, false, 0, List.of(), false);

    /**
     * Checks the numbers.
     *
     * @throws IllegalArgumentException if a duration is given and is out of range, or the number of attempts is negative
     */
    public CallOptions {
        if (retention != null) {
            requireRetention(retention);
        }
        if (waitTimeout != null) {
            requireWaitTimeout(waitTimeout);
        }
        if (lease != null) {
            requireLease(lease);
        }
        if (maxAttempts < 0) {
            throw new IllegalArgumentException("maxAttempts must not be negative, but is " + maxAttempts);
        }
        finalFailures = List.copyOf(finalFailures);
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
        return requireInRange("wait timeout", waitTimeout, LONGEST_HOLD);
    }

    /**
     * Checks how long a lease holds its key.
     *
     * @param lease at least a millisecond, at most 24.8 days
     * @return the same duration
     * @throws IllegalArgumentException if it is out of range
     */
    public static Duration requireLease(Duration lease) {
        return requireInRange("lease", lease, LONGEST_HOLD);
    }

    private static Duration requireInRange(String name, Duration duration, Duration longest) {
        if (duration.compareTo(Duration.ofMillis(1)) < 0 || duration.compareTo(longest) > 0) {
            throw new IllegalArgumentException(
                    "The " + name + " must be at least one millisecond and at most " + longest + ", not " + duration);
        }
        return duration;
    }

    /**
     * Whether the claim is committed before the method runs.
     *
     * @return {@code true} in the mode LEASED
     */
    public boolean isLeased() {
        return mode == IdempotencyMode.LEASED;
    }

    /**
     * Whether a failure is the stable answer to the intent.
     *
     * @param failure what left the method
     * @return {@code true} if it is one of the final failures or a subclass
     */
    public boolean isFinal(Throwable failure) {
        return finalFailures.stream().anyMatch(type -> type.isInstance(failure));
    }

    /**
     * Changes the retention.
     *
     * @param changed how long the key and its response are kept
     * @return the changed terms
     */
    public CallOptions withRetention(Duration changed) {
        return new CallOptions(
                changed, onDuplicate, waitTimeout, mode, lease, retryLeased, maxAttempts, finalFailures, lossyResponse);
    }

    /**
     * Changes the policy.
     *
     * @param changed what to do when another call holds the key
     * @return the changed terms
     */
    public CallOptions withOnDuplicate(DuplicatePolicy changed) {
        return new CallOptions(
                retention, changed, waitTimeout, mode, lease, retryLeased, maxAttempts, finalFailures, lossyResponse);
    }

    /**
     * Changes the wait timeout.
     *
     * @param changed how long to wait at most
     * @return the changed terms
     */
    public CallOptions withWaitTimeout(Duration changed) {
        return new CallOptions(
                retention, onDuplicate, changed, mode, lease, retryLeased, maxAttempts, finalFailures, lossyResponse);
    }

    /**
     * Switches to a lease.
     *
     * @param changed how long it holds the key at most
     * @return the changed terms
     */
    public CallOptions withLease(Duration changed) {
        return new CallOptions(
                retention,
                onDuplicate,
                waitTimeout,
                IdempotencyMode.LEASED,
                changed,
                retryLeased,
                maxAttempts,
                finalFailures,
                lossyResponse);
    }

    /**
     * Changes what is final.
     *
     * @param changed exceptions that are the stable answer to the intent
     * @return the changed terms
     */
    public CallOptions withFinalFailures(List<Class<? extends Throwable>> changed) {
        return new CallOptions(
                retention, onDuplicate, waitTimeout, mode, lease, retryLeased, maxAttempts, changed, lossyResponse);
    }

    /**
     * Allows replays that show less.
     *
     * @return the changed terms
     */
    public CallOptions withLossyResponse() {
        return new CallOptions(
                retention, onDuplicate, waitTimeout, mode, lease, retryLeased, maxAttempts, finalFailures, true);
    }
}
