package io.idempotency.internal.operation;

import java.time.Duration;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.springframework.format.annotation.DurationFormat;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

import io.idempotency.IdempotencyStartupException;
import io.idempotency.Intent;

/**
 * How long keys and messages are remembered, as the application is configured: by default, at least, and by which
 * consumers otherwise.
 */
public final class RetentionPolicy {

    private static final String MINIMUM = "idempotency.minimum-retention";

    private static final String WHY =
            "A repeat that comes later than the retention is not recognised and takes effect again.";

    private static final String ACTION =
            "Raise the retention, or lower " + MINIMUM + " if nothing is repeated or replayed after so long a time.";

    private final @Nullable Duration minimum;

    private final Duration ofKeys;

    private final Duration lease;

    private final Duration ofMessages;

    private final Map<String, Duration> byConsumer;

    /**
     * Checks the configuration.
     *
     * @param minimum below which no retention may be; {@code null} for none
     * @param ofKeys how long a key is kept by default
     * @param ofResponses how long a response is kept where its key is kept for longer; {@code null} for as long as the key
     * @param lease how long a leased call holds its key by default
     * @param ofMessages how long it is known by default that a message was handled
     * @param byConsumer the same for messages of these consumers, whatever else is said
     * @throws IdempotencyStartupException if one of them is shorter than the minimum, or is for no possible consumer, or
     *     if responses would be kept for longer than keys
     */
    public RetentionPolicy(
            @Nullable Duration minimum,
            Duration ofKeys,
            @Nullable Duration ofResponses,
            Duration lease,
            Duration ofMessages,
            Map<String, Duration> byConsumer) {
        this.minimum = minimum;
        this.ofKeys = CallOptions.requireRetention(ofKeys);
        this.lease = CallOptions.requireLease(lease);
        this.ofMessages = CallOptions.requireRetention(ofMessages);
        this.byConsumer = Map.copyOf(byConsumer);
        requireLongEnough("idempotency.retention", ofKeys);
        requireNotLonger(ofResponses, ofKeys);
        requireLongEnough("idempotency.inbox.retention", ofMessages);
        byConsumer.forEach((consumer, retention) -> {
            String property = "idempotency.inbox.retention-by-consumer." + consumer;
            requireConsumer(property, consumer);
            requireLongEnough(property, retention);
        });
    }

    private static void requireNotLonger(@Nullable Duration ofResponses, Duration ofKeys) {
        if (ofResponses != null && ofResponses.compareTo(ofKeys) > 0) {
            throw new IdempotencyStartupException(
                    "idempotency.response-retention = " + text(ofResponses) + " is longer than idempotency.retention = "
                            + text(ofKeys) + ". A response goes with its key at the latest.",
                    "Raise idempotency.retention, or lower idempotency.response-retention, or remove it to keep each response"
                            + " for as long as its key.");
        }
    }

    private static void requireConsumer(String property, String consumer) {
        try {
            Intent.requireConsumer(consumer);
        } catch (IllegalArgumentException malformed) {
            throw new IdempotencyStartupException(
                    property + " is for no consumer that there can be: " + malformed.getMessage() + ".",
                    "Correct the property.",
                    malformed);
        }
    }

    private void requireLongEnough(String property, Duration retention) {
        if (isTooShort(retention)) {
            throw new IdempotencyStartupException(
                    property + " = " + text(retention) + " is shorter than " + minimum() + ". " + WHY, ACTION);
        }
    }

    /**
     * Whether a retention is below the minimum.
     *
     * @param retention of a key or a message
     * @return {@code true} if it is
     */
    boolean isTooShort(Duration retention) {
        return minimum != null && retention.compareTo(minimum) < 0;
    }

    /** The minimum, why there is one, and what to change. */
    String explainMinimum() {
        return "It is shorter than " + minimum() + ". " + WHY;
    }

    /** What to change where a retention is too short. */
    String action() {
        return ACTION;
    }

    /**
     * Checks the retention of one call.
     *
     * @param retention how long its key is to be kept
     * @return the same duration
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
     * Checks that the key of a leased call is kept for at least as long as its lease may hold it.
     *
     * @param options of the call
     * @return the same terms
     * @throws IllegalArgumentException if the lease is longer than the retention, with the defaults for what is left open
     */
    public CallOptions requireForLease(CallOptions options) {
        Duration leased = options.lease() == null ? lease : options.lease();
        Duration kept = options.retention() == null ? ofKeys : options.retention();
        if (options.isLeased() && leased.compareTo(kept) > 0) {
            throw new IllegalArgumentException(
                    "The lease of " + text(leased) + " is longer than the retention of " + text(kept)
                            + ". A caller that repeats the call while its key is held may repeat it after the retention, and then runs it"
                            + " again");
        }
        return options;
    }

    /**
     * How long it is known that a consumer has handled a message.
     *
     * @param consumer who received it
     * @param own what its receiver says; {@code null} if nothing
     * @return what is configured for the consumer, or else its own, or else the default
     */
    public Duration ofConsumer(String consumer, @Nullable Duration own) {
        Duration configured = byConsumer.get(consumer);
        if (configured != null) {
            return configured;
        }
        return own == null ? ofMessages : own;
    }

    private String minimum() {
        return MINIMUM + (minimum == null ? "" : " = " + text(minimum));
    }

    private static String text(Duration duration) {
        return DurationFormatterUtils.print(duration, DurationFormat.Style.COMPOSITE);
    }
}
