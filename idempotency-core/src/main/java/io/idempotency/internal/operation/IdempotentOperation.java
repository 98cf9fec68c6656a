package io.idempotency.internal.operation;

import java.lang.reflect.Method;
import java.lang.reflect.Type;

/** The parsed annotation of one method, with all that does not depend on its kind. Immutable. */
public interface IdempotentOperation {

    /** {@return the kind, which decides how calls of the method are bound} */
    OperationKind kind();

    /** {@return the method of the bean's own class} */
    Method method();

    /** {@return the scope, with placeholders replaced} */
    String scope();

    /** {@return the expression that tells one call from another} */
    ArgumentExpression keyExpression();

    /** {@return whether several beans may have the method, because one may answer for the other or their keys differ} */
    boolean shared();

    /** {@return the options of each call} */
    CallOptions options();

    /** {@return the return type of the method, type arguments included} */
    Type responseType();

    /** {@return the simple name of the annotation with {@code @}, for error messages} */
    default String annotation() {
        return kind().displayName();
    }

    /** {@return class, method and parameter types, for error messages} */
    default String describe() {
        return MethodDescription.of(method());
    }

    /**
     * Returns whether both are read from one annotation, because a scope belongs to one.
     *
     * @return {@code true} if both are of one kind and have the same scope
     */
    default boolean isOfSameAnnotation(IdempotentOperation other) {
        return scope().equals(other.scope()) && kind().equals(other.kind());
    }
}
