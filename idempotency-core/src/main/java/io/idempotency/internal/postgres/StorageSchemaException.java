package io.idempotency.internal.postgres;

import org.jspecify.annotations.Nullable;

import io.idempotency.IdempotencyStartupException;

/** The database does not hold what the library needs. Thrown at start-up. */
public final class StorageSchemaException extends IdempotencyStartupException {

    private static final long serialVersionUID = 1L;

    StorageSchemaException(String problem, String action, @Nullable Throwable cause) {
        super(problem, action, cause);
    }
}
