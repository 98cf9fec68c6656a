package io.idempotency.internal.operation;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.format.annotation.DurationFormat;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

import io.idempotency.DuplicatePolicy;
import io.idempotency.IdempotencyMode;

/**
 * The options of a call. Options that are not set have the application's defaults.
 *
 * @param retention retention of the key and its response; {@code null} for the default
 * @param onDuplicate policy for a key that another call holds
 * @param waitTimeout longest wait for that call; {@code null} for the default
 * @param mode time at which the claim is committed
 * @param lease longest time for which a committed claim holds the key; {@code null} for the default
 * @param retryLeased whether a retry may run a leased method again after it has started
 * @param maxAttempts most executions of the method in one call; 0 for the default
 * @param finalFailures exceptions that are the final answer to the intent
 * @param lossyResponse whether a replay may show less than the first response
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

    private static final Duration LONGEST_TIMEOUT = Duration.ofMillis(Integer.MAX_VALUE);

    /** Options that are all the application's defaults. */
    public static final CallOptions DEFAULTS = new CallOptions(
            null, DuplicatePolicy.WAIT, null, IdempotencyMode.TRANSACTIONAL, null, false, 0, List.of(), false);

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException if a duration is given and is out of range, the number of attempts is
     *     negative, or the mode is OPTIMISTIC and there are final failures
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
        if (mode == IdempotencyMode.OPTIMISTIC && !finalFailures.isEmpty()) {
            throw new IllegalArgumentException(
                    "An OPTIMISTIC call cannot have final failures: its method runs before the key is claimed, so that a"
                            + " repeat could record a failure while the first attempt still runs, and undo its success");
        }
    }

    /**
     * Checks a retention.
     *
     * @param retention at least a millisecond, at most a thousand years
     * @return the same duration
     * @throws IllegalArgumentException if it is out of range
     */
    public static Duration requireRetention(Duration retention) {
        return requireInRange("retention", retention, LONGEST_RETENTION);
    }

    /**
     * Checks a wait timeout.
     *
     * @param waitTimeout at least a millisecond, at most 24.8 days, the limit of PostgreSQL's {@code statement_timeout}
     * @return the same duration
     * @throws IllegalArgumentException if it is out of range
     */
    public static Duration requireWaitTimeout(Duration waitTimeout) {
        return requireInRange("wait timeout", waitTimeout, LONGEST_TIMEOUT);
    }

    /**
     * Checks a lease.
     *
     * @param lease at least a millisecond, at most 24.8 days
     * @return the same duration
     * @throws IllegalArgumentException if it is out of range
     */
    public static Duration requireLease(Duration lease) {
        return requireInRange("lease", lease, LONGEST_TIMEOUT);
    }

    private static Duration requireInRange(String name, Duration duration, Duration longest) {
        if (duration.compareTo(Duration.ofMillis(1)) < 0 || duration.compareTo(longest) > 0) {
            throw new IllegalArgumentException("The " + name + " must be at least one millisecond and at most "
                    + text(longest) + ", not " + text(duration));
        }
        return duration;
    }

    private static String text(Duration duration) {
        return DurationFormatterUtils.print(duration, DurationFormat.Style.COMPOSITE);
    }

    /** {@return whether the claim is committed before the method runs} */
    public boolean isLeased() {
        return mode == IdempotencyMode.LEASED;
    }

    /** {@return whether the key is claimed when the method has returned} */
    public boolean isOptimistic() {
        return mode == IdempotencyMode.OPTIMISTIC;
    }

    /**
     * Returns whether a failure is the final answer to the intent.
     *
     * @param failure exception of the method
     * @return {@code true} if it is one of the final failures or a subclass
     */
    public boolean isFinal(Throwable failure) {
        return finalFailures.stream().anyMatch(type -> type.isInstance(failure));
    }

    /**
     * Changes the retention.
     *
     * @param changed retention of the key and its response
     * @return the changed options
     */
    public CallOptions withRetention(Duration changed) {
        return new CallOptions(
                changed, onDuplicate, waitTimeout, mode, lease, retryLeased, maxAttempts, finalFailures, lossyResponse);
    }

    /**
     * Changes the policy.
     *
     * @param changed policy for a key that another call holds
     * @return the changed options
     */
    public CallOptions withOnDuplicate(DuplicatePolicy changed) {
        return new CallOptions(
                retention, changed, waitTimeout, mode, lease, retryLeased, maxAttempts, finalFailures, lossyResponse);
    }

    /**
     * Changes the wait timeout.
     *
     * @param changed longest wait
     * @return the changed options
     */
    public CallOptions withWaitTimeout(Duration changed) {
        return new CallOptions(
                retention, onDuplicate, changed, mode, lease, retryLeased, maxAttempts, finalFailures, lossyResponse);
    }

    /**
     * Changes the mode to LEASED.
     *
     * @param changed longest time for which the lease holds the key
     * @return the changed options
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
     * Changes the mode to OPTIMISTIC.
     *
     * @return the changed options
     */
    public CallOptions withOptimisticMode() {
        return new CallOptions(
                retention,
                onDuplicate,
                waitTimeout,
                IdempotencyMode.OPTIMISTIC,
                null,
                false,
                maxAttempts,
                finalFailures,
                lossyResponse);
    }

    /**
     * Changes the final failures.
     *
     * @param changed exceptions that are the final answer to the intent
     * @return the changed options
     */
    public CallOptions withFinalFailures(List<Class<? extends Throwable>> changed) {
        return new CallOptions(
                retention, onDuplicate, waitTimeout, mode, lease, retryLeased, maxAttempts, changed, lossyResponse);
    }

    /**
     * Allows replays that show less than the first response.
     *
     * @return the changed options
     */
    public CallOptions withLossyResponse() {
        return new CallOptions(
                retention, onDuplicate, waitTimeout, mode, lease, retryLeased, maxAttempts, finalFailures, true);
    }
}
