package io.idempotency.internal.operation;

import java.time.Duration;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.springframework.format.annotation.DurationFormat;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

import io.idempotency.IdempotencyStartupException;
import io.idempotency.Intent;

/** The configured retention of keys and messages: defaults, minimum and values for consumers. */
public final class RetentionPolicy {

    private static final String MINIMUM = "idempotency.minimum-retention";

    private static final String WHY =
            "A repeat that comes later than the retention is not recognised and takes effect again.";

    private static final String ACTION =
            "Raise the retention, or lower " + MINIMUM + " if nothing is repeated or replayed after so long a time.";

    private final @Nullable Duration minimum;

    private final Duration keyRetention;

    private final Duration lease;

    private final Duration messageRetention;

    private final Map<String, Duration> byConsumer;

    /**
     * Checks the configuration.
     *
     * @param minimum shortest allowed retention; {@code null} for none
     * @param keyRetention default retention of keys
     * @param responseRetention retention of responses; {@code null} for the same as keys
     * @param lease default lease
     * @param messageRetention default retention of handled messages
     * @param byConsumer retention of the messages of these consumers, which overrides their annotations
     * @throws IdempotencyStartupException if a retention is shorter than the minimum, a consumer's name is not valid,
     *     or responses would be kept for longer than keys
     */
    public RetentionPolicy(
            @Nullable Duration minimum,
            Duration keyRetention,
            @Nullable Duration responseRetention,
            Duration lease,
            Duration messageRetention,
            Map<String, Duration> byConsumer) {
        this.minimum = minimum;
        this.keyRetention = CallOptions.requireRetention(keyRetention);
        this.lease = CallOptions.requireLease(lease);
        this.messageRetention = CallOptions.requireRetention(messageRetention);
        this.byConsumer = Map.copyOf(byConsumer);
        requireLongEnough("idempotency.retention", keyRetention);
        requireNotLonger(responseRetention, keyRetention);
        requireLongEnough("idempotency.inbox.retention", messageRetention);
        byConsumer.forEach((consumer, retention) -> {
            String property = "idempotency.inbox.retention-by-consumer." + consumer;
            requireConsumer(property, consumer);
            requireLongEnough(property, retention);
        });
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

    private static void requireConsumer(String property, String consumer) {
        try {
            Intent.requireConsumer(consumer);
        } catch (IllegalArgumentException malformed) {
            throw new IdempotencyStartupException(
                    property + " is not for a valid consumer: " + malformed.getMessage() + ".",
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

    /** Returns whether a retention of a key or a message is below the minimum. */
    boolean isTooShort(Duration retention) {
        return minimum != null && retention.compareTo(minimum) < 0;
    }

    /** Returns the minimum and why there is one, for error messages. */
    String explainMinimum() {
        return "It is shorter than " + minimum() + ". " + WHY;
    }

    /** Returns what to change if a retention is too short, for error messages. */
    String action() {
        return ACTION;
    }

    /**
     * Checks the retention of one call.
     *
     * @param retention retention of its key
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
     * @param options options of the call
     * @return the same options
     * @throws IllegalArgumentException if the lease is longer than the retention, defaults included
     */
    public CallOptions requireForLease(CallOptions options) {
        Duration leased = options.lease() == null ? lease : options.lease();
        Duration kept = options.retention() == null ? keyRetention : options.retention();
        if (options.isLeased() && leased.compareTo(kept) > 0) {
            throw new IllegalArgumentException(
                    "The lease of " + text(leased) + " is longer than the retention of " + text(kept)
                            + ". A caller that repeats the call while its key is held may repeat it after the retention, and then runs it"
                            + " again");
        }
        return options;
    }

    /**
     * Returns the retention of the messages that a consumer has handled.
     *
     * @param consumer consumer of the messages
     * @param own retention of its annotation; {@code null} if none
     * @return the retention that is configured for the consumer, or else its own, or else the default
     */
    public Duration ofConsumer(String consumer, @Nullable Duration own) {
        Duration configured = byConsumer.get(consumer);
        if (configured != null) {
            return configured;
        }
        return own == null ? messageRetention : own;
    }

    private String minimum() {
        return MINIMUM + (minimum == null ? "" : " = " + text(minimum));
    }

    private static String text(Duration duration) {
        return DurationFormatterUtils.print(duration, DurationFormat.Style.COMPOSITE);
    }
}
