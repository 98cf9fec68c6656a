package io.idempotency.internal.operation;

import java.lang.reflect.Method;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.idempotency.InvalidIdempotentMethodException;

/**
 * The rule that a scope belongs to one method, because two would replay each other's responses. The same holds for a
 * consumer, because two methods would skip each other's messages.
 */
final class ScopeOwnership {

    private final Map<String, Method> methodByScope = new ConcurrentHashMap<>();

    private final Map<String, Method> methodByConsumer = new ConcurrentHashMap<>();

    void require(IdempotentOperation operation, Method declaration) {
        boolean isCall = operation.message() == null;
        Method owner = (isCall ? methodByScope : methodByConsumer).putIfAbsent(operation.scope(), declaration);
        if (owner != null && !owner.equals(declaration)) {
            String name = isCall ? "scope" : "consumer";
            throw new InvalidIdempotentMethodException(
                    "The " + name + " '" + operation.scope() + "' is used by two methods: "
                            + MethodDescription.of(owner) + " and " + MethodDescription.of(declaration) + ".",
                    "Give each method a " + name + " of its own; keep the old one where "
                            + (isCall ? "keys are already stored." : "messages were already handled."));
        }
    }
}
