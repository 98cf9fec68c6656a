package io.idempotency.boot.aot;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

import io.idempotency.internal.postgres.PostgresStorage;

/** The hints that include the migrations and the SQL functions in a native image. */
final class IdempotencyRuntimeHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        hints.resources().registerPattern(PostgresStorage.MIGRATIONS + "/*.sql");
        hints.resources().registerPattern(PostgresStorage.SQL_FUNCTIONS);
    }
}
