package io.idempotency.boot.messaging.storage;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

import io.idempotency.internal.postgres.messaging.MessagingFeatures;
import io.idempotency.internal.postgres.schema.StorageFeature;

/** The hints that include the migrations and the SQL functions of messages in a native image. */
final class MessagingStorageRuntimeHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        MessagingFeatures.all().stream().flatMap(StorageFeature::resources).forEach(hints.resources()::registerPattern);
    }
}
