package io.idempotency.internal.operation;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.format.annotation.DurationFormat;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

import io.idempotency.DuplicatePolicy;
import io.idempotency.IdempotencyMode;

/**
 * The options of a call. What an annotation or a caller does not set is the application's default.
 *
 * @param retention retention of the key and its response
 * @param responseRetention retention of responses, if that is shorter; {@code null} for as long as the key
 * @param onDuplicate policy for a key that another call holds
 * @param waitTimeout longest wait for that call
 * @param mode time at which the claim is committed
 * @param lease longest time for which a committed claim holds the key
 * @param retryLeased whether a retry may run a leased method again after it has started
 * @param maxAttempts most executions of the method in one call
 * @param finalFailures exceptions that are the final answer to the intent
 * @param lossyResponse whether a replay may show less than the first response
 */
public record CallOptions(
        Duration retention,
        @Nullable Duration responseRetention,
        DuplicatePolicy onDuplicate,
        Duration waitTimeout,
        IdempotencyMode mode,
        Duration lease,
        boolean retryLeased,
        int maxAttempts,
        List<Class<? extends Throwable>> finalFailures,
        boolean lossyResponse) {

    private static final Duration LONGEST_RETENTION = Duration.ofDays(365_000);

    private static final Duration LONGEST_TIMEOUT = Duration.ofMillis(Integer.MAX_VALUE);

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException if a duration is out of range, the number of attempts is not positive, or the mode is
     *     OPTIMISTIC and there are final failures
     */
    public CallOptions {
        requireRetention(retention);
        if (responseRetention != null) {
            requireRetention(responseRetention);
        }
        requireWaitTimeout(waitTimeout);
        requireLease(lease);
        if (maxAttempts < 1) {
            throw new IllegalArgumentException("maxAttempts must be at least 1, but is " + maxAttempts);
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
     * @throws IllegalArgumentException if it is out of range
     */
    public static Duration requireRetention(Duration retention) {
        return requireInRange("retention", retention, LONGEST_RETENTION);
    }

    /**
     * Checks a wait timeout.
     *
     * @param waitTimeout at least a millisecond, at most 24.8 days, the limit of PostgreSQL's {@code statement_timeout}
     * @throws IllegalArgumentException if it is out of range
     */
    public static Duration requireWaitTimeout(Duration waitTimeout) {
        return requireInRange("wait timeout", waitTimeout, LONGEST_TIMEOUT);
    }

    /**
     * Checks a lease.
     *
     * @param lease at least a millisecond, at most 24.8 days
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

    static String text(Duration duration) {
        return DurationFormatterUtils.print(duration, DurationFormat.Style.COMPOSITE);
    }

    /** {@return whether the claim is committed before the method runs} */
    public boolean isLeased() {
        return mode == IdempotencyMode.LEASED;
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

    /** Returns the options with another retention of the key and its response. */
    public CallOptions withRetention(Duration changed) {
        return new CallOptions(
                changed,
                responseRetention,
                onDuplicate,
                waitTimeout,
                mode,
                lease,
                retryLeased,
                maxAttempts,
                finalFailures,
                lossyResponse);
    }

    /** Returns the options with another policy for a key that another call holds. */
    public CallOptions withOnDuplicate(DuplicatePolicy changed) {
        return new CallOptions(
                retention,
                responseRetention,
                changed,
                waitTimeout,
                mode,
                lease,
                retryLeased,
                maxAttempts,
                finalFailures,
                lossyResponse);
    }

    /** Returns the options with another longest wait. */
    public CallOptions withWaitTimeout(Duration changed) {
        return new CallOptions(
                retention,
                responseRetention,
                onDuplicate,
                changed,
                mode,
                lease,
                retryLeased,
                maxAttempts,
                finalFailures,
                lossyResponse);
    }

    /** Returns the options with the mode LEASED and this lease. */
    public CallOptions withLease(Duration changed) {
        return new CallOptions(
                retention,
                responseRetention,
                onDuplicate,
                waitTimeout,
                IdempotencyMode.LEASED,
                changed,
                retryLeased,
                maxAttempts,
                finalFailures,
                lossyResponse);
    }

    /** Returns the options with the mode OPTIMISTIC. */
    public CallOptions withOptimisticMode() {
        return new CallOptions(
                retention,
                responseRetention,
                onDuplicate,
                waitTimeout,
                IdempotencyMode.OPTIMISTIC,
                lease,
                false,
                maxAttempts,
                finalFailures,
                lossyResponse);
    }

    /**
     * Returns the options with other final failures.
     *
     * @throws IllegalArgumentException if one of them does not say that there is no effect
     */
    public CallOptions withFinalFailures(List<Class<? extends Throwable>> changed) {
        return new CallOptions(
                retention,
                responseRetention,
                onDuplicate,
                waitTimeout,
                mode,
                lease,
                retryLeased,
                maxAttempts,
                FinalFailures.require(changed),
                lossyResponse);
    }

    /** Returns the options that allow replays which show less than the first response. */
    public CallOptions withLossyResponse() {
        return new CallOptions(
                retention,
                responseRetention,
                onDuplicate,
                waitTimeout,
                mode,
                lease,
                retryLeased,
                maxAttempts,
                finalFailures,
                true);
    }
}
