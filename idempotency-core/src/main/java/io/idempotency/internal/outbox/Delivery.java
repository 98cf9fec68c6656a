package io.idempotency.internal.outbox;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.idempotency.internal.codec.StorableText;
import io.idempotency.outbox.OutboxRecord;

/**
 * What became of one attempt to send a message. Internal.
 *
 * @param message what was to be sent
 * @param result whether it was
 * @param retryAfter when the next attempt is due; zero if there is none
 * @param failure why it was not sent; {@code null} if it was
 */
public record Delivery(
        OutboxRecord message,
        Result result,
        Duration retryAfter,
        @Nullable Throwable failure) {

    private static final int MAX_ERROR_LENGTH = 1_000;

    /** What an attempt ends with. */
    public enum Result {

        /** It was sent. */
        SENT,

        /** It failed, and is tried again. */
        FAILED,

        /** Nothing could be sent at all, which says nothing about this message. */
        NOT_COUNTED,

        /** It failed for the last time. */
        DEAD
    }

    /**
     * The failure for operators.
     *
     * @return type and message, at most 1,000 characters; {@code null} if there was none
     */
    public @Nullable String error() {
        return failure == null ? null : StorableText.of(describe(failure), MAX_ERROR_LENGTH);
    }

    /** A failure that cannot tell its message must not keep what else was sent from being kept. */
    private static String describe(Throwable failure) {
        try {
            return String.valueOf(failure);
        } catch (RuntimeException untold) {
            return failure.getClass().getName();
        }
    }
}
