package io.idempotency.sample.database;

import org.jspecify.annotations.Nullable;

/** Thrown if the sample cannot have its data where it is to be. */
final class DataDirectoryException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String action;

    DataDirectoryException(String description, String action, @Nullable Throwable cause) {
        super(description, cause);
        this.action = action;
    }

    /** The advice for the developer. */
    String action() {
        return action;
    }
}
