package io.idempotency.boot.aot;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

import io.idempotency.internal.postgres.schema.CoreFeatures;
import io.idempotency.internal.postgres.schema.StorageFeature;

/** The hints that include the migrations and the SQL functions in a native image. */
final class IdempotencyRuntimeHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        CoreFeatures.all().stream().flatMap(StorageFeature::resources).forEach(hints.resources()::registerPattern);
    }
}
