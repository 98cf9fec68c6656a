package io.idempotency.internal.outbox;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.idempotency.internal.response.StorableText;
import io.idempotency.outbox.OutboxRecord;

/**
 * The result of one attempt to send a message.
 *
 * @param status whether it was sent, and if not, whether it is sent again
 * @param retryAfter the time until the next attempt; zero if there is none
 * @param failure the failure; {@code null} if the message was sent
 */
public record SendResult(
        OutboxRecord message,
        Status status,
        Duration retryAfter,
        @Nullable Throwable failure) {

    private static final int MAX_ERROR_LENGTH = 1_000;

    /** The status of a message after an attempt. */
    public enum Status {

        /** It was sent. */
        SENT,

        /** It failed, and is sent again. */
        FAILED,

        /** No message could be sent, so this attempt does not count. */
        NOT_COUNTED,

        /** This version of the application cannot read it, so that it is left to another. */
        LEFT,

        /** It failed for the last time. */
        DEAD;

        /** Returns whether it was an attempt. */
        public boolean isCounted() {
            return this != NOT_COUNTED && this != LEFT;
        }
    }

    /**
     * Describes the failure for operators.
     *
     * @return type and message, at most 1,000 characters; {@code null} if there was none
     */
    public @Nullable String error() {
        return failure == null ? null : StorableText.of(describe(failure), MAX_ERROR_LENGTH);
    }

    /** Falls back to the class if the failure cannot be printed, because the results of the batch must be stored. */
    private static String describe(Throwable failure) {
        try {
            return String.valueOf(failure);
        } catch (RuntimeException notPrintable) {
            return failure.getClass().getName();
        }
    }
}
