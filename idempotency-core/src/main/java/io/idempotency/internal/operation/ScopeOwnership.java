package io.idempotency.internal.operation;

import java.lang.reflect.Method;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.idempotency.InvalidIdempotentMethodException;

/**
 * The rule that a scope belongs to one method, because two would replay each other's responses, or skip each other's
 * messages. Scopes of two kinds are two scopes, whatever their names are.
 */
final class ScopeOwnership {

    private final Map<Scope, Method> methodByScope = new ConcurrentHashMap<>();

    void require(IdempotentOperation operation, Method declaration) {
        OperationKind kind = operation.kind();
        Method owner = methodByScope.putIfAbsent(new Scope(kind, operation.scope()), declaration);
        if (owner != null && !owner.equals(declaration)) {
            throw new InvalidIdempotentMethodException(
                    "The " + kind.scopeName() + " '" + operation.scope() + "' is used by two methods: "
                            + MethodDescription.of(owner) + " and " + MethodDescription.of(declaration) + ".",
                    "Give each method a " + kind.scopeName() + " of its own; keep the old one where " + kind.stored()
                            + ".");
        }
    }

    private record Scope(OperationKind kind, String name) {}
}
