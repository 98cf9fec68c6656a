package io.idempotency.internal.operation;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.stream.Collectors;

/** The description of a method in error messages: shorter than {@link Method#toString()}, and easy to search for. */
public final class MethodDescription {

    private MethodDescription() {}

    /** Describes a method. */
    public static String of(Method method) {
        return Arrays.stream(method.getParameterTypes())
                .map(Class::getSimpleName)
                .collect(Collectors.joining(
                        ", ", method.getDeclaringClass().getName() + "." + method.getName() + "(", ")"));
    }
}
