package io.idempotency.operation;

import java.lang.reflect.Method;
import java.util.Map;

import io.idempotency.InvalidIdempotentMethodException;

/** One scope belongs to one method: two methods would replay each other's responses. */
final class ScopeOwnership {

    private ScopeOwnership() {}

    static void require(Map<String, Method> methodByScope, IdempotentOperation operation, Method declaration) {
        Method owner = methodByScope.putIfAbsent(operation.scope(), declaration);
        if (owner != null && !owner.equals(declaration)) {
            throw new InvalidIdempotentMethodException(
                    "The scope '" + operation.scope() + "' is used by two methods: " + MethodDescription.of(owner)
                            + " and " + MethodDescription.of(declaration) + ".",
                    "Give each method a scope of its own; keep the old one where keys are already stored.");
        }
    }
}
