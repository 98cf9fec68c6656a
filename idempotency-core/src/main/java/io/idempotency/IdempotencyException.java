package io.idempotency;

import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if an idempotent call was not executed or could not be completed. The transaction of the call is rolled back.
 */
public abstract class IdempotencyException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient @Nullable Intent intent;

    protected IdempotencyException(@Nullable Intent intent, String message) {
        this(intent, message, null);
    }

    protected IdempotencyException(@Nullable Intent intent, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.intent = intent;
    }

    /** {@return the intent of the call; empty if the key was missing or malformed} */
    public Optional<Intent> intent() {
        return Optional.ofNullable(intent);
    }
}
