package io.idempotency.internal.operation;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.idempotency.IdempotencyStartupException;

import static io.idempotency.internal.operation.CallOptions.text;

/** The configured retention: defaults of calls, and the minimum of all that is kept. */
public final class RetentionPolicy {

    private static final String MINIMUM = "idempotency.minimum-retention";

    private static final String WHY =
            "A repeat that comes later than the retention is not recognised and takes effect again.";

    private static final Duration SHORTEST = Duration.ofMinutes(1);

    private final Duration minimum;

    private final boolean isMinimumSet;

    private final CallOptions defaults;

    /**
     * Checks the configuration.
     *
     * @param minimum shortest allowed retention; {@code null} for the longest of one minute, the default wait timeout and
     *     the default lease
     * @throws IdempotencyStartupException if the retention is shorter than the minimum, or responses would be kept for
     *     longer than keys
     */
    public RetentionPolicy(@Nullable Duration minimum, CallOptions defaults) {
        this.isMinimumSet = minimum != null;
        this.minimum = minimum == null
                ? longest(
                        SHORTEST,
                        longest(defaults.waiting().timeout(), defaults.lease().duration()))
                : minimum;
        this.defaults = defaults;
        requireLongEnough("idempotency.retention", defaults.retention().ofKey());
        requireNotLonger(defaults.retention().ofResponse(), defaults.retention().ofKey());
    }

    private static Duration longest(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    private static void requireNotLonger(@Nullable Duration responseRetention, Duration keyRetention) {
        if (responseRetention != null && responseRetention.compareTo(keyRetention) > 0) {
            throw new IdempotencyStartupException(
                    "idempotency.response-retention = " + text(responseRetention)
                            + " is longer than idempotency.retention = " + text(keyRetention)
                            + ". A response expires with its key at the latest.",
                    "Raise idempotency.retention, or lower idempotency.response-retention, or remove it to keep each response"
                            + " for as long as its key.");
        }
    }

    /**
     * Checks a retention that a property sets.
     *
     * @throws IdempotencyStartupException if it is shorter than the minimum
     */
    public void requireLongEnough(String property, Duration retention) {
        if (isTooShort(retention)) {
            throw new IdempotencyStartupException(
                    property + " = " + text(retention) + " is shorter than " + minimum() + ". " + WHY, action());
        }
    }

    /** {@return the options of calls that set none} */
    public CallOptions defaults() {
        return defaults;
    }

    /** Returns whether a retention is below the minimum. */
    boolean isTooShort(Duration retention) {
        return retention.compareTo(minimum) < 0;
    }

    /** Returns the minimum and why there is one, for error messages. */
    String explainMinimum() {
        return "It is shorter than " + minimum() + ". " + WHY;
    }

    /** Returns what to change if a retention is too short, for error messages. */
    String action() {
        return "Raise the retention, or " + (isMinimumSet ? "lower " + MINIMUM : "set " + MINIMUM)
                + " if nothing is repeated or replayed after so long a time.";
    }

    /**
     * Checks the retention of one call.
     *
     * @throws IllegalArgumentException if it is shorter than the minimum
     */
    public Duration requireForCall(Duration retention) {
        if (isTooShort(retention)) {
            throw new IllegalArgumentException(
                    "The retention " + text(retention) + " is shorter than " + minimum() + ". " + WHY);
        }
        return retention;
    }

    /**
     * Checks that the key of a leased call is kept for at least as long as its lease may hold it, and the key of any call for as
     * long as a duplicate may wait for it.
     *
     * @throws IllegalArgumentException if the lease is longer than the retention, defaults included, or the wait timeout is
     */
    public CallOptions requireForCall(CallOptions options) {
        Duration retention = options.retention().ofKey();
        Duration lease = options.lease().duration();
        if (options.mode().commitsClaimFirst() && lease.compareTo(retention) > 0) {
            throw new IllegalArgumentException("The lease of " + text(lease)
                    + " is longer than the retention of " + text(retention)
                    + ". A caller that repeats the call while its key is held may repeat it after the retention, and then runs it"
                    + " again");
        }
        requireWaitTimeout(options.waiting().timeout(), retention);
        return options;
    }

    /**
     * Checks the wait timeout of a call.
     *
     * @throws IllegalArgumentException if it is out of range, or is longer than the retention and no minimum is set
     */
    Duration requireWaitTimeout(Duration waitTimeout, Duration retention) {
        CallOptions.requireWaitTimeout(waitTimeout);
        if (!isMinimumSet && waitTimeout.compareTo(retention) > 0) {
            throw new IllegalArgumentException(
                    "The wait timeout of " + text(waitTimeout) + " is longer than the retention of " + text(retention)
                            + ". A call may wait until the key is forgotten, and then runs again");
        }
        return waitTimeout;
    }

    private String minimum() {
        return isMinimumSet
                ? MINIMUM + " = " + text(minimum)
                : text(minimum) + ", the longest of one minute, idempotency.wait-timeout and idempotency.lease";
    }
}
