package io.idempotency.internal.operation;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;

import org.springframework.core.KotlinDetector;
import org.springframework.util.ClassUtils;

import io.idempotency.InvalidIdempotentMethodException;

/**
 * The rule against methods that a proxy cannot intercept, which would run unprotected, and final classes without
 * interfaces.
 */
final class OverridableMethodRule implements OperationRule {

    private static final int NOT_INTERCEPTED = Modifier.FINAL | Modifier.PRIVATE | Modifier.STATIC;

    private static final int VISIBLE_IN_OTHER_PACKAGES = Modifier.PUBLIC | Modifier.PROTECTED;

    @Override
    public void check(IdempotentOperation operation, Class<?> targetClass) {
        int found = operation.method().getModifiers() & NOT_INTERCEPTED;
        if (found != 0) {
            throw new InvalidIdempotentMethodException(
                    operation.annotation() + " stands on a " + Modifier.toString(found)
                            + " method, which no proxy can intercept: " + operation.describe() + ".",
                    "Make the method public, and neither final nor static."
                            + (KotlinDetector.isKotlinType(targetClass)
                                    ? " In Kotlin: declare class and method open, or annotate the class with @Transactional"
                                            + " and compile with the plugin kotlin-spring, which opens such classes."
                                    : ""));
        }
        if (!isVisibleFrom(targetClass, operation.method())) {
            throw new InvalidIdempotentMethodException(
                    operation.annotation() + " stands on a package-private method that the proxy of "
                            + targetClass.getName() + ", which is in another package, cannot intercept: "
                            + operation.describe() + ".",
                    "Make the method public or protected.");
        }
        if (Modifier.isFinal(targetClass.getModifiers())
                && ClassUtils.getAllInterfacesForClass(targetClass).length == 0) {
            throw new InvalidIdempotentMethodException(
                    "The idempotent method " + operation.describe()
                            + " is in a final class without interfaces, of which no proxy can be made.",
                    "Remove final from the class (a record is final always), or let it implement an interface.");
        }
    }

    private static boolean isVisibleFrom(Class<?> targetClass, Method method) {
        return (method.getModifiers() & VISIBLE_IN_OTHER_PACKAGES) != 0
                || method.getDeclaringClass().getPackageName().equals(targetClass.getPackageName());
    }
}
