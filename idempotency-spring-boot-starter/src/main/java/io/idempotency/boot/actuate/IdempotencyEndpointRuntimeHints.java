package io.idempotency.boot.actuate;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** The hints for Jackson about the descriptors and the records in them: the operations declare only their common supertype. */
final class IdempotencyEndpointRuntimeHints implements RuntimeHintsRegistrar {

    private final BindingReflectionHintsRegistrar binding = new BindingReflectionHintsRegistrar();

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        binding.registerReflectionHints(hints.reflection(), Descriptors.class.getDeclaredClasses());
    }
}
