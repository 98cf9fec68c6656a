package io.idempotency.internal.postgres.schema;

import org.jspecify.annotations.Nullable;

import io.idempotency.IdempotencyStartupException;

/** Thrown at start-up if the database does not hold the tables that the library needs. */
public final class StorageSchemaException extends IdempotencyStartupException {

    private static final long serialVersionUID = 1L;

    /** Creates the exception with what is wrong and what to do. */
    public StorageSchemaException(String problem, String action, @Nullable Throwable cause) {
        super(problem, action, cause);
    }
}
