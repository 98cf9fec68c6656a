package io.idempotency.boot.aot;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

import io.idempotency.internal.postgres.PostgresStorage;
import io.idempotency.internal.postgres.schema.StorageSchema;

/** The hints that include the migrations and the SQL functions in a native image. */
final class IdempotencyRuntimeHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        StorageSchema.MIGRATION_FILES.forEach(
                file -> hints.resources().registerPattern(StorageSchema.MIGRATIONS + "/" + file));
        hints.resources().registerPattern(PostgresStorage.SQL_FUNCTIONS);
    }
}
