package io.idempotency.boot.messaging.actuate;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

import io.idempotency.messaging.DeadMessage;
import io.idempotency.messaging.FailingMessage;
import io.idempotency.messaging.PendingMessage;

/** The hints for Jackson about the descriptors and the records in them, which no operation of the endpoint declares. */
final class MessagingEndpointRuntimeHints implements RuntimeHintsRegistrar {

    private final BindingReflectionHintsRegistrar binding = new BindingReflectionHintsRegistrar();

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        binding.registerReflectionHints(hints.reflection(), MessagingDescriptors.class.getDeclaredClasses());
        // These are only in type parameters.
        binding.registerReflectionHints(
                hints.reflection(), FailingMessage.class, PendingMessage.class, DeadMessage.class);
    }
}
