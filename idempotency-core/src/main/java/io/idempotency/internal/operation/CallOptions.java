package io.idempotency.internal.operation;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.format.annotation.DurationFormat;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

import io.idempotency.DuplicatePolicy;

/**
 * The options of a call. What an annotation or a caller does not set is the application's default.
 *
 * @param mode time at which the claim is committed
 * @param maxAttempts most executions of the method in one call
 * @param finalFailures exceptions that are the final answer to the intent
 * @param lossyResponse whether a replay may show less than the first response
 */
public record CallOptions(
        CallMode mode,
        Retention retention,
        Waiting waiting,
        LeaseOptions lease,
        int maxAttempts,
        List<Class<? extends Throwable>> finalFailures,
        boolean lossyResponse) {

    private static final Duration LONGEST_RETENTION = Duration.ofDays(365_000);

    private static final Duration LONGEST_TIMEOUT = Duration.ofMillis(Integer.MAX_VALUE);

    /**
     * Checks the options.
     *
     * @throws IllegalArgumentException if the number of attempts is not positive, or the mode is OPTIMISTIC and there are final
     *     failures
     */
    public CallOptions {
        if (maxAttempts < 1) {
            throw new IllegalArgumentException("maxAttempts must be at least 1, but is " + maxAttempts);
        }
        finalFailures = List.copyOf(finalFailures);
        if (mode.runsBeforeClaim() && !finalFailures.isEmpty()) {
            throw new IllegalArgumentException(
                    "An OPTIMISTIC call cannot have final failures: its method runs before the key is claimed, so that a"
                            + " repeat could record a failure while the first attempt still runs, and undo its success");
        }
    }

    /**
     * The time for which the row of a call is kept.
     *
     * @param ofKey retention of the key
     * @param ofResponse retention of the response, if that is shorter; {@code null} for as long as the key
     */
    public record Retention(Duration ofKey, @Nullable Duration ofResponse) {

        /** Checks the ranges. */
        public Retention {
            requireRetention(ofKey);
            if (ofResponse != null) {
                requireRetention(ofResponse);
            }
        }
    }

    /**
     * The wait of a call for another one that holds its key.
     *
     * @param onDuplicate whether it waits at all
     * @param timeout the longest wait
     */
    public record Waiting(DuplicatePolicy onDuplicate, Duration timeout) {

        /** Checks the range. */
        public Waiting {
            requireWaitTimeout(timeout);
        }
    }

    /**
     * The lease of a claim that is committed before the method runs.
     *
     * @param duration the longest time without a renewal
     * @param isRetried whether a retry may run a leased method again after it has started
     */
    public record LeaseOptions(Duration duration, boolean isRetried) {

        /** Checks the range. */
        public LeaseOptions {
            requireLease(duration);
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
        Retention kept = new Retention(changed, retention.ofResponse);
        return new CallOptions(mode, kept, waiting, lease, maxAttempts, finalFailures, lossyResponse);
    }

    /** Returns the options with another policy for a key that another call holds. */
    public CallOptions withOnDuplicate(DuplicatePolicy changed) {
        Waiting policy = new Waiting(changed, waiting.timeout);
        return new CallOptions(mode, retention, policy, lease, maxAttempts, finalFailures, lossyResponse);
    }

    /** Returns the options with another longest wait. */
    public CallOptions withWaitTimeout(Duration changed) {
        Waiting bounded = new Waiting(waiting.onDuplicate, changed);
        return new CallOptions(mode, retention, bounded, lease, maxAttempts, finalFailures, lossyResponse);
    }

    /** Returns the options with the mode LEASED and this lease. */
    public CallOptions withLease(Duration changed) {
        LeaseOptions held = new LeaseOptions(changed, lease.isRetried);
        return new CallOptions(CallMode.LEASED, retention, waiting, held, maxAttempts, finalFailures, lossyResponse);
    }

    /** Returns the options with the mode OPTIMISTIC. */
    public CallOptions withOptimisticMode() {
        LeaseOptions unused = new LeaseOptions(lease.duration, false);
        return new CallOptions(
                CallMode.OPTIMISTIC, retention, waiting, unused, maxAttempts, finalFailures, lossyResponse);
    }

    /**
     * Returns the options with other final failures.
     *
     * @throws IllegalArgumentException if one of them does not say that there is no effect
     */
    public CallOptions withFinalFailures(List<Class<? extends Throwable>> changed) {
        FinalFailures.require(changed);
        return new CallOptions(mode, retention, waiting, lease, maxAttempts, changed, lossyResponse);
    }

    /** Returns the options that allow replays which show less than the first response. */
    public CallOptions withLossyResponse() {
        return new CallOptions(mode, retention, waiting, lease, maxAttempts, finalFailures, true);
    }
}
