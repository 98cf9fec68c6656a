package io.idempotency.internal.operation;

import java.lang.reflect.Method;
import java.util.regex.Pattern;

/** What the names in a method tell of a function in Kotlin, which is not on every class path. */
final class KotlinFunction {

    private static final String CONTINUATION = "kotlin.coroutines.Continuation";

    /** A hyphen and a hash; the name of an internal function ends with a dollar sign and its module. */
    private static final Pattern MANGLED = Pattern.compile(".+-[\\w-]{7}(\\$.+)?");

    private KotlinFunction() {}

    /** Returns whether a method is a suspend function. */
    static boolean isSuspending(Method method) {
        Class<?>[] parameters = method.getParameterTypes();
        return parameters.length > 0
                && parameters[parameters.length - 1].getName().equals(CONTINUATION);
    }

    /** Returns whether a method has the name of a function with a value class as a parameter or as its result. */
    static boolean isMangled(Method method) {
        return MANGLED.matcher(method.getName()).matches();
    }
}
