package io.idempotency.internal.interceptor;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.idempotency.InvalidIdempotentMethodException;
import io.idempotency.internal.operation.IdempotentOperation;
import io.idempotency.internal.operation.OperationKind;

/** The rule that one bean has the method of a scope, because another one would be answered with its responses. */
final class ScopeBeans {

    private final Map<Scope, String> beanByScope = new ConcurrentHashMap<>();

    /** Refuses a second bean unless they share the scope on purpose. Scoped proxies are left out, because their targets are beans. */
    void require(IdempotentOperation operation, String beanName) {
        OperationKind kind = operation.kind();
        String first =
                operation.shared() ? null : beanByScope.putIfAbsent(new Scope(kind, operation.scope()), beanName);
        if (first != null && !first.equals(beanName)) {
            throw new InvalidIdempotentMethodException(
                    "The beans '" + first + "' and '" + beanName + "' share the " + kind.scopeName() + " '"
                            + operation.scope() + "' of " + operation.describe()
                            + ": what one of them has done would count as done by the other.",
                    "Let each have a " + kind.scopeName() + " of its own, with " + kind.displayName()
                            + " on a method of its own class, or let the " + kind.keyName()
                            + " name the bean, as in \"#root.name + ':' + #id\". If one may answer for the other, write"
                            + " shared = true.");
        }
    }

    private record Scope(OperationKind kind, String name) {}
}
