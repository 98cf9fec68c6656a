package io.idempotency.internal.claim;

import io.idempotency.internal.response.StorableText;

/**
 * The failure of an attempt, as it is recorded.
 *
 * @param isFinal whether every repeat gets this failure
 * @param code at most 255 characters
 * @param message at most 1,000 characters; may be empty
 */
public record Failure(boolean isFinal, String code, String message) {

    private static final int MAX_CODE_LENGTH = 255;

    private static final int MAX_MESSAGE_LENGTH = 1_000;

    /** Makes code and message storable, and cuts them to their longest lengths. */
    public Failure {
        code = StorableText.of(code, MAX_CODE_LENGTH);
        message = StorableText.of(message, MAX_MESSAGE_LENGTH);
    }
}
