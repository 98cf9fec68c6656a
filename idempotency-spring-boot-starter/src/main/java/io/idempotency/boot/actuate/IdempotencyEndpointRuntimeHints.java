package io.idempotency.boot.actuate;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

import io.idempotency.DeadMessage;
import io.idempotency.FailingMessage;
import io.idempotency.PendingMessage;

/** The hints for Jackson about the descriptors and the records in them: the operations declare only their common supertype. */
final class IdempotencyEndpointRuntimeHints implements RuntimeHintsRegistrar {

    private final BindingReflectionHintsRegistrar binding = new BindingReflectionHintsRegistrar();

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        binding.registerReflectionHints(hints.reflection(), Descriptors.class.getDeclaredClasses());
        // These are only in type parameters.
        binding.registerReflectionHints(
                hints.reflection(), FailingMessage.class, PendingMessage.class, DeadMessage.class);
    }
}
