package io.idempotency.internal.outbox;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.idempotency.internal.codec.StorableText;
import io.idempotency.outbox.OutboxRecord;

/**
 * What became of one attempt to send a message. Internal.
 *
 * @param message what was to be sent
 * @param status whether it was sent, and if not, what happens next
 * @param retryAfter when the next attempt is due; zero if there is none
 * @param failure why it was not sent; {@code null} if it was
 */
public record SendResult(
        OutboxRecord message,
        Status status,
        Duration retryAfter,
        @Nullable Throwable failure) {

    private static final int MAX_ERROR_LENGTH = 1_000;

    /** What an attempt ends with. */
    public enum Status {

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
