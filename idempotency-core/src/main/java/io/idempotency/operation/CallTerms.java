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

    /** Terms that leave everything to the application's defaults. */
    public static final CallTerms DEFAULTS = new CallTerms(null, DuplicatePolicy.WAIT, null);

    /**
     * Checks the durations.
     *
     * @throws IllegalArgumentException if one of them is given and is less than a millisecond
     */
    public CallTerms {
        requireAtLeastOneMillisecond("retention", retention);
        requireAtLeastOneMillisecond("waitTimeout", waitTimeout);
    }

    private static void requireAtLeastOneMillisecond(String name, @Nullable Duration duration) {
        if (duration != null && duration.toMillis() < 1) {
            throw new IllegalArgumentException(name + " must be at least one millisecond, not " + duration);
        }
    }
}
