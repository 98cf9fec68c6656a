package io.idempotency.internal.operation;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.stream.Collectors;

/** How error reports name a method: shorter than {@link Method#toString()}, and what a reader searches for. */
public final class MethodDescription {

    private MethodDescription() {}

    /**
     * Names a method.
     *
     * @param method any method
     * @return its class, its name and the simple names of its parameters' types
     */
    public static String of(Method method) {
        return Arrays.stream(method.getParameterTypes())
                .map(Class::getSimpleName)
                .collect(Collectors.joining(
                        ", ", method.getDeclaringClass().getName() + "." + method.getName() + "(", ")"));
    }
}
