package io.idempotency.internal.operation;

import java.lang.reflect.TypeVariable;
import java.util.Arrays;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;

/** A set of types by name, because most of them are not on every class path. */
final class NamedTypes {

    private final List<String> names;

    NamedTypes(String... names) {
        this.names = List.of(names);
    }

    /** Returns whether a type is one of these or a subtype. */
    boolean include(@Nullable Class<?> type) {
        return type != null
                && (names.contains(type.getName())
                        || include(type.getSuperclass())
                        || Arrays.stream(type.getInterfaces()).anyMatch(this::include));
    }

    /**
     * Returns whether a type, its components or one of its type arguments is one of these. Those of a variable are left out, because
     * its bounds may name the variable itself.
     */
    boolean areIn(ResolvableType type) {
        return include(type.resolve())
                || (type.isArray() && areIn(type.getComponentType()))
                || (!(type.getType() instanceof TypeVariable<?>)
                        && Arrays.stream(type.getGenerics()).anyMatch(this::areIn));
    }
}
